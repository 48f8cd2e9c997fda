// Cuts the text of a document into pages: a page ends within a section if the section is longer.
import { z } from 'zod'
import type { DocumentSection } from '../../domain/document.ts'
import { MODEL_TEXT_KINDS, type ModelTextKind } from '../../domain/made-texts/model-text.ts'

/** Where a page begins: a section, and a character of its text. */
export interface TextPlace {
  section: number
  character: number
}

export interface SectionPart extends Omit<DocumentSection, 'image_file_id' | 'picture' | 'recording' | 'caption'> {
  /** The place of the section in its document, from 0. */
  section: number
  /** The character of the section's text with which this part begins. */
  from: number
  /** How sure the text recognition was, from 0 to 1; null if the text was not recognised in a picture. */
  recognition_confidence: number | null
  /** The text that a model made, so that nobody takes it for that of the author; null for other text. */
  made_by_model: ModelTextKind | null
}

export const madeByModelField = z
  .enum(MODEL_TEXT_KINDS)
  .nullable()
  .describe('The text is no text of the author: a model made it of a recording or a picture. Null for other text.')

/** At most this many sections a page, so that a document of empty sections has pages too. */
const MAX_PARTS = 200

/** Returns the parts from a place on with `limit` characters, and where the next page begins; null at the end. */
export function pageOfText(
  sections: readonly DocumentSection[],
  start: TextPlace,
  limit: number,
): { parts: SectionPart[]; next: TextPlace | null } {
  const parts: SectionPart[] = []
  let left = limit
  let place = start
  while (left > 0 && parts.length < MAX_PARTS) {
    const stored = sections[place.section]
    if (stored === undefined) break
    const { image_file_id: _, picture, recording, caption, ...section } = stored
    const recognition_confidence = picture?.confidence ?? null
    const text = section.text.slice(place.character, endOfPart(section.text, place.character + left))
    const made_by_model = caption !== undefined ? 'caption' : recording?.start === undefined ? null : 'transcript'
    const place_of_part = { section: place.section, from: place.character }
    parts.push({ ...section, ...place_of_part, text, recognition_confidence, made_by_model })
    left -= Math.max(text.length, 1)
    const end = place.character + text.length
    place = end < section.text.length ? { ...place, character: end } : { section: place.section + 1, character: 0 }
  }
  return { parts, next: place.section < sections.length ? place : null }
}

/** Returns the parts before a place, with about `limit` characters, and where they begin. */
export function pageBefore(
  sections: readonly DocumentSection[],
  end: TextPlace,
  limit: number,
): { parts: SectionPart[]; start: TextPlace } {
  const start = startOfPage(sections, end, limit)
  const last = sections[end.section]
  const cut = last === undefined || end.character === 0 ? [] : [{ ...last, text: last.text.slice(0, end.character) }]
  const before = [...sections.slice(0, end.section), ...cut]
  // The start may be moved by one unit.
  return { parts: pageOfText(before, start, limit + 1).parts, start }
}

function startOfPage(sections: readonly DocumentSection[], end: TextPlace, limit: number): TextPlace {
  let place = end
  let left = limit
  for (let parts = 0; left > 0 && parts < MAX_PARTS; parts++) {
    const at = place.character > 0 ? place.section : place.section - 1
    const text = sections[at]?.text
    if (text === undefined) break
    const length = place.character > 0 ? Math.min(place.character, text.length) : text.length
    place = { section: at, character: startOfPart(text, Math.max(0, length - left)) }
    left -= Math.max(length, 1)
  }
  return place
}

/** Before a character that needs two code units, not in it. */
export const startOfPart = (text: string, start: number): number =>
  /[\uDC00-\uDFFF]/.test(text.charAt(start)) && start > 0 ? start - 1 : start

/** Behind a character that needs two code units, not in it. */
const endOfPart = (text: string, end: number): number => (/[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end + 1 : end)
