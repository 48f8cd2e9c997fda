// Transcripts of recordings, and the sections of documents that hold them.
import type { FileForModel, ModelContent, ModelContents, TranscriptPassage } from './model-text.ts'

/** The recording that a section holds. */
export interface SectionRecording {
  /** The name of its bytes in the file store. */
  blob: string
  /** Where the text of the section begins, in seconds. Absent until the transcript is known. */
  start?: number
}

/** A recording that a source has, and what was said in it; null until a model has told. */
export interface KnownRecording {
  blob: string
  content: ModelContent | null
}

/** The fields of a section that this file knows. */
interface RecordedSection {
  text: string
  link?: string | null
  image_file_name?: string
  recording?: SectionRecording
}

/** A section of a transcript has about this many characters: one passage of the index. */
const SECTION_CHARACTERS = 1_200
/** A longer transcript ends here. */
export const MAX_TRANSCRIPT = 1_000_000
/** Beyond it a passage begins no section of its own. */
const MAX_TRANSCRIPT_SECTIONS = 2_000

/** Joins what the model said to passages of the size of a section, each with the time at which it begins. */
export function joinPassages(said: readonly TranscriptPassage[]): TranscriptPassage[] {
  const joined: TranscriptPassage[] = []
  let left = MAX_TRANSCRIPT
  for (const { start, text } of said) {
    const clean = cleanSpeech(text).slice(0, left).toWellFormed()
    if (clean === '') continue
    left -= clean.length + 1
    const last = joined.at(-1)
    const isFull = last === undefined || last.text.length + clean.length > SECTION_CHARACTERS
    if (last !== undefined && (!isFull || joined.length === MAX_TRANSCRIPT_SECTIONS)) last.text += ` ${clean}`
    else joined.push({ start: Math.max(0, Math.floor(start)), text: clean })
    if (left <= 0) break
  }
  return joined
}

const cleanSpeech = (text: string): string => text.replace(/[\0-\x1f\x7f]/g, ' ').trim()

/**
 * Replaces each section that holds a recording by the sections of its transcript, if it is known and the document has
 * no more than `maxLength` characters then. A link gets the time: `#t=83`. A recording without words stays as it is.
 */
export function fillRecordings<T extends RecordedSection>(
  sections: readonly T[],
  contents: ModelContents,
  { maxLength, maxSections }: { maxLength: number; maxSections: number },
): T[] {
  let room = maxLength - sections.reduce((sum, it) => sum + it.text.length, 0)
  let places = maxSections - sections.length
  return sections.flatMap((section) => {
    const { recording } = section
    if (recording === undefined || recording.start !== undefined) return [section]
    const content = contents.get(recording.blob)
    if (content?.kind !== 'transcript' || content.passages.length === 0) return [section]
    const length = content.passages.reduce((sum, it) => sum + it.text.length, 0)
    if (length > room || content.passages.length > places) return [section]
    room -= length
    places -= content.passages.length
    const own = section.text === '' ? [] : [{ ...section, recording: undefined }]
    return [...own, ...content.passages.map((passage) => toSection(section, recording, passage))]
  })
}

const toSection = <T extends RecordedSection>(
  section: T,
  recording: SectionRecording,
  { start, text }: TranscriptPassage,
): T => ({
  ...section,
  ...('link' in section && { link: timedLink(section.link ?? null, start) }),
  text,
  recording: { ...recording, start },
})

/** A section without a link keeps the time as a place in the file: see `placeLink`. */
function timedLink(link: string | null, start: number): string {
  const [page] = (link ?? '').split('#', 1)
  return `${page}#t=${start}`
}

/** Each recording that the sections hold, once. */
export function recordingsOf(sections: readonly RecordedSection[]): FileForModel[] {
  const found = new Map<string, FileForModel>()
  for (const { recording, image_file_name: name = '' } of sections) {
    if (recording === undefined) continue
    const isSettled = recording.start !== undefined && (found.get(recording.blob)?.isSettled ?? true)
    found.set(recording.blob, { blob: recording.blob, kind: 'transcript', name, isSettled })
  }
  return [...found.values()]
}

/** Whether a model is to make, or has made, text of a file that the section shows. */
export const showsFile = (section: { picture?: unknown; recording?: unknown }): boolean =>
  section.picture !== undefined || section.recording !== undefined
