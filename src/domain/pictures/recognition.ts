// Texts recognised in pictures and scanned pages, and the sections of documents that show them.

import type { ModelContent } from '../made-texts/model-text.ts'

/** One page of a file, from 0; a picture has one. `confidence`: the mean over its characters, from 0 to 1. */
export type RecognisedPage = { page: number; text: string; confidence: number } | { page: number; reason: string }

/** The picture that a section shows. */
export interface SectionPicture {
  /** The name of its bytes in the file store. */
  blob: string
  /** The page of the file, from 0. Absent: all pages. */
  page?: number
  /** How sure the recognition of the section's text was. Absent until the text is known, and if there is none. */
  confidence?: number
}

/** The fields of a section that this file knows. */
interface PicturedSection {
  text: string
  image_file_name?: string
  picture?: SectionPicture
}

/** An uploaded file that a section may show. `pages` is null until its text is known. */
export interface KnownImage {
  name: string
  blob: string
  pages: readonly RecognisedPage[] | null
  /** It is a recording: it has a transcript and no pages. */
  isRecording?: boolean
  /** Absent until the transcript is known. */
  transcript?: ModelContent
}

export type RecognitionState = 'waiting' | 'read' | 'failed'

/** The text of all pages, and the mean of their confidence weighted by length; null without text. */
export function recognisedText(pages: readonly RecognisedPage[]): { text: string; confidence: number } | null {
  const read = pages.flatMap((it) => ('text' in it && it.text !== '' ? [it] : []))
  if (read.length === 0) return null
  const length = read.reduce((sum, it) => sum + it.text.length, 0)
  const confidence = read.reduce((sum, it) => sum + it.confidence * it.text.length, 0) / length
  return { text: read.map((it) => it.text).join('\n\n'), confidence: Number(confidence.toFixed(3)) }
}

/**
 * Adds the recognised text to a section that shows the picture and does not have it yet, if it is not longer than
 * `room`, in UTF-16 code units.
 */
export function fillSection<T extends PicturedSection>(
  section: T,
  pages: readonly RecognisedPage[],
  room = Number.POSITIVE_INFINITY,
): T {
  const { picture, text } = section
  if (picture === undefined || picture.confidence !== undefined) return section
  const { page } = picture
  const shown = page === undefined ? pages : pages.filter((it) => it.page === page)
  if (lengthOfPages(shown) > room) return section
  const read = recognisedText(shown)
  if (read === null) return section
  const joined = [text, read.text].filter((it) => it !== '').join('\n')
  return { ...section, text: joined, picture: { ...picture, confidence: read.confidence } }
}

/** Counts what `fillSection` adds: the texts and the line feeds between them. */
const lengthOfPages = (pages: readonly RecognisedPage[]): number =>
  pages.reduce((sum, it) => sum + ('text' in it ? it.text.length + 2 : 0), 0)

/**
 * Adds the recognised texts to the sections, as far as the document has no more than `maxLength` characters then: many
 * sections may show the same long scan. `pagesOf`: the pages of each file by the name of its bytes.
 */
export function fillSections<T extends PicturedSection>(
  sections: readonly T[],
  pagesOf: ReadonlyMap<string, readonly RecognisedPage[]>,
  maxLength: number,
): T[] {
  let room = maxLength - sections.reduce((sum, it) => sum + it.text.length, 0)
  return sections.map((section) => {
    const filled = fillSection(section, pagesOf.get(section.picture?.blob ?? '') ?? [], room)
    room -= filled.text.length - section.text.length
    return filled
  })
}

/** Each picture that the sections show, once. `isSettled`: every section that shows it has its text. */
export function picturesOf(sections: readonly PicturedSection[]): { blob: string; name: string; isSettled: boolean }[] {
  const found = new Map<string, { blob: string; name: string; isSettled: boolean }>()
  for (const { picture, image_file_name: name = '' } of sections) {
    if (picture === undefined) continue
    const isSettled = picture.confidence !== undefined && (found.get(picture.blob)?.isSettled ?? true)
    found.set(picture.blob, { blob: picture.blob, name, isSettled })
  }
  return [...found.values()]
}

interface FileSection {
  text: string
  heading: string | null
  anchor: string | null
}

/** Inserts the recognised pages among the sections of a file, whose anchors say their pages. */
export function withRecognisedPages(sections: readonly FileSection[], pages: readonly RecognisedPage[]): FileSection[] {
  const added = pages.flatMap((it) =>
    'text' in it && it.text !== '' ? [{ at: it.page, section: toFileSection(it.page, it.text) }] : [],
  )
  let at = -1
  const own = sections.map((section) => {
    at = Number(/^page=(\d{1,9})$/.exec(section.anchor ?? '')?.[1] ?? at + 1) - 1
    return { at, section }
  })
  return [...own, ...added].sort((a, b) => a.at - b.at).map((it) => it.section)
}

const toFileSection = (page: number, text: string): FileSection => ({ text, heading: null, anchor: `page=${page + 1}` })
