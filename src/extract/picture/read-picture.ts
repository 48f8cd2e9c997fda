// Gives the pixels of a page of a PDF or of a picture file. Runs in a reader process.
import { type GreyPicture, shrink } from '../../domain/pictures/grey-picture.ts'
import { detectFileKind, HEAD_BYTES } from '../file-kind.ts'
import { openReadablePdf } from '../pdf/pdf.ts'
import type { RenderSettings } from '../pdf/render-page.ts'
import { ReadEnded } from '../reader.ts'
import type { FileToRead } from '../run-reader.ts'
import { decodeBmp } from './bitmap/bmp.ts'
import { decodeGif } from './bitmap/gif.ts'
import {
  fitSize,
  MAX_RESULT_PIXELS,
  MAX_SOURCE_PIXELS,
  type Orientation,
  type PictureResult,
  reasonForLimit,
  turnUpright,
} from './grey-picture.ts'
import { type JpegHeader, readJpegHeader } from './jpeg.ts'
import { pictureFormatOf } from './picture-format.ts'
import { type PicturePage, writePicturePdf } from './picture-pdf.ts'
import { decodePng } from './png.ts'
import { readTiffPage } from './tiff.ts'

export type PictureFile = Pick<FileToRead, 'bytes' | 'name' | 'mediaType' | 'password'>

/** Never throws for the content. */
export async function readPicture(file: PictureFile, page: number): Promise<PictureResult> {
  try {
    return await decodePicture(file, page)
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ReadEnded && error.message === 'memory') return reasonForLimit('memory')
  const message = error instanceof Error ? error.message : String(error)
  const text = message.slice(0, 300).toWellFormed()
  return error instanceof ReadEnded ? text : `The picture is damaged: ${text}`
}

async function decodePicture(file: PictureFile, page: number): Promise<GreyPicture> {
  const { kind } = detectFileKind(file.bytes.subarray(0, HEAD_BYTES), file)
  if (kind === 'pdf') return renderPdfPage(file, page)
  const format = kind === 'image' ? pictureFormatOf(file.bytes) : null
  if (format === null)
    throw new ReadEnded('unsupported', 'Pictures of this kind are not read, only PDF, PNG, JPEG, TIFF, GIF and BMP.')
  if (format === 'tiff') {
    const { orientation, ...tiffPage } = readTiffPage(file.bytes, page)
    return renderPicture(tiffPage, orientation)
  }
  if (page !== 0) throw new ReadEnded('damaged', `The picture has no page ${page + 1}.`)
  if (format === 'jpeg') return readJpeg(file.bytes)
  const picture = DECODERS[format](file.bytes)
  return shrink(picture, fitSize(picture, MAX_RESULT_PIXELS))
}

const DECODERS = { png: decodePng, gif: decodeGif, bmp: decodeBmp }

async function renderPdfPage(file: PictureFile, page: number): Promise<GreyPicture> {
  const document = await openReadablePdf(file)
  try {
    if (page >= document.pageCount) throw new ReadEnded('damaged', `The document has no page ${page + 1}.`)
    return document.render(page, { sizeOf: scanSize, mustDraw: false })
  } finally {
    document.close()
  }
}

/** 200 dpi; a point is a 72nd of an inch. */
const PIXELS_PER_POINT = 200 / 72
const MAX_SIDE = 4_000

const scanSize: RenderSettings['sizeOf'] = ({ width, height }) => {
  const scale = Math.min(PIXELS_PER_POINT, MAX_SIDE / Math.max(width, height))
  const fit = (points: number) => Math.min(MAX_SIDE, Math.max(1, Math.round(points * scale)))
  return { width: fit(width), height: fit(height) }
}

function readJpeg(bytes: Buffer): Promise<GreyPicture> {
  const header = readJpegHeader(bytes)
  if (header === null) throw new ReadEnded('damaged', 'The header of the JPEG is not readable.')
  const { width, height, orientation } = header
  if (width * height > MAX_SOURCE_PIXELS)
    throw new ReadEnded('limit', `The picture has ${width} x ${height} pixels, more than the limit.`)
  const dictionary = `/BitsPerComponent 8 ${colourEntries(header)} /Filter /DCTDecode`
  const pictures = [{ dictionary, data: bytes, width, height, left: 0, top: 0 }]
  return renderPicture({ width, height, pictures }, orientation)
}

function colourEntries({ components, hasAdobeMark }: JpegHeader): string {
  if (components === 1) return '/ColorSpace /DeviceGray'
  if (components === 3) return '/ColorSpace /DeviceRGB'
  return `/ColorSpace /DeviceCMYK ${hasAdobeMark ? '/Decode [1 0 1 0 1 0 1 0]' : ''}`
}

/** PDFium decodes and reduces the picture. */
async function renderPicture(page: PicturePage, orientation: Orientation): Promise<GreyPicture> {
  const document = await openReadablePdf({ bytes: writePicturePdf(page), password: null })
  try {
    const size = fitSize(page, MAX_RESULT_PIXELS)
    return turnUpright(document.render(0, { sizeOf: () => size, mustDraw: true }), orientation)
  } finally {
    document.close()
  }
}
