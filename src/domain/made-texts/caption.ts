// Captions of pictures, and the sections of documents that hold them.
import { removeUnicodeTags } from '../injection/injection-scan.ts'
import { type RecognisedPage, recognisedText, type SectionPicture } from '../pictures/recognition.ts'
import type { FileForModel } from './model-text.ts'

/** The caption that a section holds. */
export interface SectionCaption {
  /** The name of the bytes of its picture. */
  blob: string
}

/** The fields of a section that this file knows. */
interface CaptionedSection {
  text: string
  link: string | null
  heading: string | null
  image_file_id: string | null
  image_file_name?: string
  picture?: SectionPicture
  caption?: SectionCaption
}

/** Captions by the name of the bytes; null is none. A picture that is absent keeps the caption that it has. */
export type KnownCaptions = ReadonlyMap<string, string | null>

/** A longer caption ends with its last whole sentence. */
const MAX_CAPTION = 600

/** One line of bounded length, without signs that nobody sees. */
export function cleanCaption(said: string): string {
  const line = removeUnicodeTags(said.toWellFormed().slice(0, 4 * MAX_CAPTION))
    .replace(/[\p{Cc}\s\u202a-\u202e\u2066-\u2069]/gu, ' ')
    .split(' ')
    .filter((it) => it !== '')
    .join(' ')
  if (line.length <= MAX_CAPTION) return line
  const cut = line.slice(0, MAX_CAPTION)
  const end = cut.lastIndexOf('. ')
  return (end > 0 ? cut.slice(0, end + 1) : cut).toWellFormed()
}

/**
 * Adds a section with the caption behind the first section that shows each picture, and takes away those that are known
 * to have none, as far as the document has no more than `maxLength` characters then.
 */
export function fillCaptions<T extends CaptionedSection>(
  sections: readonly T[],
  captions: KnownCaptions,
  { maxLength, maxSections }: { maxLength: number; maxSections: number },
): T[] {
  const kept = sections.filter((it) => it.caption === undefined || !captions.has(it.caption.blob))
  const held = new Set(kept.flatMap((it) => it.caption?.blob ?? []))
  let room = maxLength - kept.reduce((sum, it) => sum + it.text.length, 0)
  let places = maxSections - kept.length
  return kept.flatMap((section) => {
    const { blob } = section.picture ?? {}
    const text = blob === undefined || held.has(blob) ? null : (captions.get(blob) ?? null)
    if (blob === undefined || text === null || text.length > room || places === 0) return [section]
    held.add(blob)
    room -= text.length
    places -= 1
    return [section, captionSection(section, blob, text)]
  })
}

/** It is no part of the author's text, so it has no heading, and the picture stays with the section before it. */
const captionSection = <T extends CaptionedSection>(section: T, blob: string, text: string): T => ({
  ...section,
  ...{ text, heading: null, image_file_id: null, image_file_name: undefined, picture: undefined },
  caption: { blob },
})

/** Each file with pictures that the sections show, once. `isSettled`: they hold its caption. */
export function captionedFilesOf(sections: readonly CaptionedSection[]): FileForModel[] {
  const held = new Set(sections.flatMap((it) => it.caption?.blob ?? []))
  const found = new Map<string, FileForModel>()
  for (const { picture, image_file_name: name = '' } of sections)
    if (picture !== undefined)
      found.set(picture.blob, { blob: picture.blob, kind: 'caption', name, isSettled: held.has(picture.blob) })
  return [...found.values()]
}

/** The kinds of pictures that models read. */
const SIGNATURES: readonly [type: CaptionedType, head: RegExp][] = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
]
export const CAPTIONED_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export type CaptionedType = (typeof CAPTIONED_TYPES)[number]
const HEAD_LENGTH = 12

/** Null if the bytes are no picture that models read, such as a scanned PDF. */
export function captionedTypeOf(bytes: Uint8Array): CaptionedType | null {
  const head = Buffer.from(bytes.subarray(0, HEAD_LENGTH)).toString('latin1')
  return SIGNATURES.find(([, signature]) => signature.test(head))?.[0] ?? null
}

/** In pixels: smaller pictures are icons and lines. */
const MIN_SIDE = 64
const MIN_BYTES = 2_000
/** The strictest server takes 5 MB of base64. */
const MAX_BYTES = 3_750_000
/** As many letters as a dense half of a page: the picture is a scan or a screenshot of text. */
const MUCH_TEXT = 600

/** Why a picture gets no caption; null if it gets one. `size`: null if unknown. `pages`: what was recognised in it. */
export function explainNoCaption(
  bytes: Uint8Array,
  size: { width: number; height: number } | null,
  pages: readonly RecognisedPage[],
): string | null {
  if (captionedTypeOf(bytes) === null) return 'Captions are made of PNG, JPEG, GIF and WebP pictures.'
  const isSmall = bytes.length < MIN_BYTES || (size !== null && Math.min(size.width, size.height) < MIN_SIDE)
  if (isSmall) return 'The picture is too small for a caption, such as an icon.'
  if (bytes.length > MAX_BYTES) return `The picture has more than ${MAX_BYTES / 1e6} MB, the limit of captions.`
  const letters = recognisedText(pages)?.text.length ?? 0
  return letters < MUCH_TEXT ? null : 'The picture is full of text, which was recognised.'
}
