// Reads the headers of a JPEG: its size, its colours and its orientation. PDFium decodes the pixels.
import { type Orientation, toOrientation } from './grey-picture.ts'
import { readDirectories } from './tiff-fields.ts'

export interface JpegHeader {
  width: number
  height: number
  /** 1 is grey, 3 is coloured, 4 is CMYK. */
  components: number
  /** Adobe's programs write CMYK inverted. */
  hasAdobeMark: boolean
  orientation: Orientation
}

const ORIENTATION_TAG = 0x0112

/** Null if no frame is found. Takes linear time. */
export function readJpegHeader(file: Buffer): JpegHeader | null {
  let hasAdobeMark = false
  let orientation: Orientation = 1
  for (let at = 2; at + 4 <= file.length; ) {
    const code = file[at + 1] ?? 0
    // Fill bytes may precede a marker.
    if (file[at] !== 0xff) return null
    if (code === 0xff) {
      at++
      continue
    }
    const content = file.subarray(at + 4, at + 2 + file.readUInt16BE(at + 2))
    if (isFrame(code)) return readFrame(content, { hasAdobeMark, orientation })
    if (code === 0xda || code === 0xd9) return null
    if (code === 0xe1) orientation = readOrientation(content) ?? orientation
    if (code === 0xee && content.toString('latin1', 0, 5) === 'Adobe') hasAdobeMark = true
    at += isAlone(code) ? 2 : 2 + file.readUInt16BE(at + 2)
  }
  return null
}

/** SOF0 to SOF15, without the three codes between that are other markers. */
const isFrame = (code: number): boolean =>
  code >= 0xc0 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc

/** A marker without content. */
const isAlone = (code: number): boolean => code === 0x01 || (code >= 0xd0 && code <= 0xd8)

function readFrame(content: Buffer, known: Pick<JpegHeader, 'hasAdobeMark' | 'orientation'>): JpegHeader | null {
  if (content.length < 6) return null
  const [height, width] = [content.readUInt16BE(1), content.readUInt16BE(3)]
  const components = content.readUInt8(5)
  if (width === 0 || height === 0 || ![1, 3, 4].includes(components)) return null
  return { ...known, width, height, components }
}

const EXIF_MARK = 'Exif\0\0'

function readOrientation(content: Buffer): Orientation | null {
  if (content.toString('latin1', 0, EXIF_MARK.length) !== EXIF_MARK) return null
  const [directory] = readDirectories(content.subarray(EXIF_MARK.length), 1)
  return toOrientation(directory?.numbers(ORIENTATION_TAG, 1)[0] ?? 0)
}
