// Reads the pages of a TIFF. Its strips and tiles become pictures of a PDF page, because PDF knows their compressions.
import { ReadEnded } from '../reader.ts'
import { MAX_SOURCE_PIXELS, type Orientation, toOrientation } from './grey-picture.ts'
import type { PicturePage, PlacedPicture } from './picture-pdf.ts'
import { joinJpegTables, reverseBits } from './tiff-data.ts'
import { MAX_DIRECTORIES, readDirectories, type TiffFields } from './tiff-fields.ts'

const TAG = {
  subfile: 254,
  width: 256,
  height: 257,
  depth: 258,
  compression: 259,
  meaning: 262,
  bitOrder: 266,
  stripPlaces: 273,
  orientation: 274,
  samples: 277,
  stripRows: 278,
  stripSizes: 279,
  planes: 284,
  faxOptions: 292,
  predictor: 317,
  colours: 320,
  tileWidth: 322,
  tileHeight: 323,
  tilePlaces: 324,
  tileSizes: 325,
  jpegTables: 347,
} as const

/** One strip per row of a large page, and more. */
const MAX_STRIPS = 20_000

/** Previews and masks are no pages. */
const pagesOf = (file: Buffer): TiffFields[] =>
  readDirectories(file, MAX_DIRECTORIES).filter((it) => ((it.numbers(TAG.subfile, 1)[0] ?? 0) & 0b101) === 0)

export const countTiffPages = (file: Buffer): number => pagesOf(file).length

interface TiffPage extends PicturePage {
  orientation: Orientation
}

/** Throws `ReadEnded` if the page is missing, too large or of a kind that PDF does not know. */
export function readTiffPage(file: Buffer, at: number): TiffPage {
  const fields = pagesOf(file)[at]
  if (fields === undefined) throw new ReadEnded('damaged', `The TIFF has no page ${at + 1}.`)
  const format = readFormat(fields)
  const { width, height } = format
  if (width === 0 || height === 0) throw new ReadEnded('damaged', 'The page of the TIFF has no size.')
  if (width * height > MAX_SOURCE_PIXELS)
    throw new ReadEnded('limit', `The picture has ${width} x ${height} pixels, more than the limit.`)
  const pictures = placesOf(fields, format)
    .slice(0, MAX_STRIPS)
    .flatMap((it) => toPicture(file, fields, format, it))
  if (pictures.length === 0) throw new ReadEnded('damaged', 'The page of the TIFF has no pixels.')
  return { width, height, pictures, orientation: toOrientation(fields.numbers(TAG.orientation, 1)[0] ?? 1) ?? 1 }
}

interface TiffFormat {
  width: number
  height: number
  depth: number
  samples: number
  compression: number
  /** PhotometricInterpretation: 0 is white, 1 is black, 2 is RGB, 3 is a palette, 5 is CMYK, 6 is YCbCr. */
  meaning: number
}

function readFormat(fields: TiffFields): TiffFormat {
  const first = (tag: number, missing: number) => fields.numbers(tag, 1)[0] ?? missing
  const format = {
    width: first(TAG.width, 0),
    height: first(TAG.height, 0),
    depth: first(TAG.depth, 1),
    samples: first(TAG.samples, 1),
    compression: first(TAG.compression, 1),
    meaning: first(TAG.meaning, 0),
  }
  const isSupported =
    [1, 2, 4, 8].includes(format.depth) &&
    format.samples === SAMPLES[format.meaning] &&
    (first(TAG.planes, 1) === 1 || format.samples === 1) &&
    (format.meaning !== 6 || format.compression === 7)
  if (!isSupported) throw unsupportedTiff(`${format.samples} samples of ${format.depth} bits`)
  return format
}

const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 3, 3: 1, 5: 4, 6: 3 }

const unsupportedTiff = (kind: string): ReadEnded =>
  new ReadEnded('unsupported', `This kind of TIFF cannot be read: ${kind}.`)

interface StripPlace {
  from: number
  size: number
  left: number
  top: number
  width: number
  height: number
}

function placesOf(fields: TiffFields, { width, height }: TiffFormat): StripPlace[] {
  const [tileWidth = 0, tileHeight = 0] = [fields.numbers(TAG.tileWidth, 1)[0], fields.numbers(TAG.tileHeight, 1)[0]]
  const isTiled = tileWidth > 0 && tileHeight > 0
  const places = fields.numbers(isTiled ? TAG.tilePlaces : TAG.stripPlaces)
  const sizes = fields.numbers(isTiled ? TAG.tileSizes : TAG.stripSizes)
  if (!isTiled) {
    const rows = Math.min(height, fields.numbers(TAG.stripRows, 1)[0] || height)
    return places
      .map((from, at) => ({ from, size: sizes[at] ?? 0, left: 0, top: at * rows, width, height: rows }))
      .map((it) => ({ ...it, height: Math.min(rows, height - it.top) }))
      .filter((it) => it.height > 0)
  }
  if (tileWidth * tileHeight > MAX_SOURCE_PIXELS) throw new ReadEnded('limit', 'A tile of the TIFF is too large.')
  const across = Math.ceil(width / tileWidth)
  return places
    .map((from, at) => ({
      from,
      size: sizes[at] ?? 0,
      left: (at % across) * tileWidth,
      top: Math.floor(at / across) * tileHeight,
      width: tileWidth,
      height: tileHeight,
    }))
    .filter((it) => it.top < height)
}

function toPicture(file: Buffer, fields: TiffFields, format: TiffFormat, place: StripPlace): PlacedPicture[] {
  const { from, size, ...position } = place
  const stored = file.subarray(from, from + size)
  if (stored.length === 0) return []
  const isReversed = fields.numbers(TAG.bitOrder, 1)[0] === 2
  const data = format.compression === 7 ? joinJpegTables(fields.bytes(TAG.jpegTables), stored) : stored
  const dictionary = `/BitsPerComponent ${format.depth} ${colourEntries(fields, format)} ${filterEntries(fields, format, position)}`
  return [{ ...position, dictionary, data: isReversed ? reverseBits(data) : data }]
}

function colourEntries(fields: TiffFields, { meaning, depth }: TiffFormat): string {
  if (meaning === 0) return '/ColorSpace /DeviceGray /Decode [1 0]'
  if (meaning === 1) return '/ColorSpace /DeviceGray'
  if (meaning === 5) return '/ColorSpace /DeviceCMYK'
  if (meaning !== 3) return '/ColorSpace /DeviceRGB'
  const colours = 1 << depth
  const values = fields.numbers(TAG.colours, colours * 3)
  const table = Buffer.alloc(colours * 3)
  // The file lists all reds, then all greens, then all blues, with 16 bits each.
  for (let at = 0; at < colours * 3; at++) table[(at % colours) * 3 + Math.floor(at / colours)] = (values[at] ?? 0) >> 8
  return `/ColorSpace [/Indexed /DeviceRGB ${colours - 1} <${table.toString('hex')}>]`
}

function filterEntries(
  fields: TiffFields,
  { compression, meaning, samples, depth }: TiffFormat,
  { width, height }: { width: number; height: number },
): string {
  const isPredicted = fields.numbers(TAG.predictor, 1)[0] === 2
  const predictor = isPredicted ? `/Predictor 2 /Colors ${samples} /BitsPerComponent ${depth} /Columns ${width}` : ''
  const options = fields.numbers(TAG.faxOptions, 1)[0] ?? 0
  // PDF decodes black to 0, TIFF to 1.
  const fax = (entries: string) =>
    `/Filter /CCITTFaxDecode /DecodeParms << ${entries} /BlackIs1 true /Columns ${width} /Rows ${height} >>`
  switch (compression) {
    case 1:
      return ''
    case 2:
      return fax('/K 0 /EncodedByteAlign true /EndOfBlock false')
    case 3:
      return fax(`/K ${options & 1} /EncodedByteAlign ${(options & 4) !== 0} /EndOfBlock false`)
    case 4:
      return fax('/K -1')
    case 5:
      return `/Filter /LZWDecode /DecodeParms << ${predictor} >>`
    case 7:
      return `/Filter /DCTDecode /DecodeParms << /ColorTransform ${meaning === 6 ? 1 : 0} >>`
    case 8:
    case 32_946:
      return `/Filter /FlateDecode /DecodeParms << ${predictor} >>`
    case 32_773:
      return '/Filter /RunLengthDecode'
    default:
      throw unsupportedTiff(`compression ${compression}`)
  }
}
