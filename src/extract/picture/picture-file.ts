// Reads picture files. They have no text; their pages are reported, so that they can be recognized.
import { type FormatReader, unsupportedKind } from '../reader.ts'
import { countTiffPages } from './tiff.ts'

export type PictureFormat = 'png' | 'jpeg' | 'tiff'

/** Null if the pixels of this kind cannot be read. */
export function pictureFormatOf(bytes: Buffer): PictureFormat | null {
  const head = bytes.toString('latin1', 0, 8)
  if (head === '\x89PNG\r\n\x1a\n') return 'png'
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg'
  return head.startsWith('II*\0') || head.startsWith('MM\0*') ? 'tiff' : null
}

export const readPictureFile: FormatReader = ({ bytes, name, unreadPage }) => {
  const format = pictureFormatOf(bytes)
  const pages = format === 'tiff' ? countTiffPages(bytes) : Number(format !== null)
  for (let page = 0; page < pages; page++) unreadPage(page)
  throw unsupportedKind(name)
}
