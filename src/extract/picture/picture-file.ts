// Reads picture files. They have no text; their pages are reported, so that they can be recognized.
import { type FormatReader, ReadEnded, unsupportedKind } from '../reader.ts'
import { pictureFormatOf } from './picture-format.ts'
import { hasRoomForText } from './picture-size.ts'
import { countTiffPages } from './tiff.ts'

/** A small picture that is part of another file, such as a sign in a mail, is not recognized. */
export const readPictureFile: FormatReader = ({ bytes, name, depth, scan, unreadPage }) => {
  const format = pictureFormatOf(bytes)
  const isPart = depth > 0
  if (format !== null && isPart && !hasRoomForText(bytes))
    throw new ReadEnded('unsupported', 'The picture is too small for text.')
  if (format !== null) {
    const pages = format === 'tiff' ? countTiffPages(bytes) : 1
    for (let page = 0; page < pages; page++) unreadPage(page)
    if (isPart && pages > 0) scan(bytes)
  }
  throw unsupportedKind(name)
}
