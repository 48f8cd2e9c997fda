// Asks PDFium for the place and the font of single characters, without the conversions of its wrapper.
import type { PdfiumLibrary } from '../pdfium-library.ts'

export interface CharacterReader {
  /** Offsets are those of the text. */
  left(at: number): number
  right(at: number): number
  style(at: number): CharacterStyle
  close(): void
}

interface CharacterStyle extends FontStyle {
  size: number
  baseline: number
  isTurned: boolean
}

interface FontStyle {
  isBold: boolean
  hasFixedWidth: boolean
}

/** Four floats of a box or six of a matrix. */
const RESULT_BYTES = 24
/** The sides of a turned letter lean by more than this share of their length. */
const MAX_LEAN = 0.1

/** Null if there is no memory, or if the text counts some characters as two. */
export function createCharacterReader(library: PdfiumLibrary, textPage: number, text: string): CharacterReader | null {
  const { pdfium: memory } = library
  const { wasmExports: exports } = memory
  if (/[\ud800-\udfff]/.test(text)) return null
  // Characters without Unicode are not in the text.
  const isShorter = exports.FPDFText_CountChars(textPage) !== text.length
  const indexOf = (at: number): number => (isShorter ? exports.FPDFText_GetCharIndexFromTextIndex(textPage, at) : at)
  const result = exports.malloc(RESULT_BYTES)
  if (result === 0) return null
  let floats = new Float32Array(0)
  /** The memory may have been replaced. Numbers are read by their places: an iterator would take as long as PDFium. */
  const resultAt = (place: number): number => {
    if (floats.buffer !== memory.HEAPU8.buffer)
      floats = new Float32Array(memory.HEAPU8.buffer, result, RESULT_BYTES / 4)
    return floats[place] ?? Number.NaN
  }
  const edgeOf = (at: number, place: number): number =>
    exports.FPDFText_GetLooseCharBox(textPage, indexOf(at), result) ? resultAt(place) : Number.NaN
  const styleOf = createFontStyles(library)
  return {
    left: (at) => edgeOf(at, 0),
    right: (at) => edgeOf(at, 2),
    style(at) {
      const index = indexOf(at)
      exports.FPDFText_GetMatrix(textPage, index, result)
      const isTurned = !(resultAt(0) > 0 && Math.abs(resultAt(1)) <= resultAt(0) * MAX_LEAN)
      const height = Math.hypot(resultAt(2), resultAt(3))
      const baseline = resultAt(5)
      const object = exports.FPDFText_GetTextObject(textPage, index)
      const { isBold, hasFixedWidth } = styleOf(object === 0 ? 0 : exports.FPDFTextObj_GetFont(object))
      const size = exports.FPDFText_GetFontSize(textPage, index) * height
      return { size, baseline, isTurned, isBold, hasFixedWidth }
    },
    close: () => exports.free(result),
  }
}

const PLAIN: FontStyle = { isBold: false, hasFixedWidth: false }
/** ISO 32000-1, table 123. */
const FIXED_PITCH = 1
const FORCE_BOLD = 1 << 18
const NAME_BYTES = 128

function createFontStyles({ pdfium: memory }: PdfiumLibrary): (font: number) => FontStyle {
  const known = new Map<number, FontStyle>([[0, PLAIN]])
  return (font) => {
    const found = known.get(font)
    if (found !== undefined) return found
    const flags = memory.wasmExports.FPDFFont_GetFlags(font)
    const fontName = readFontName(memory, font)
    const style = {
      isBold: (flags & FORCE_BOLD) !== 0 || /bold|black|heavy|cmb|sfbx|-?bd(?:mt)?$/i.test(fontName),
      hasFixedWidth: (flags & FIXED_PITCH) !== 0 || /mono|courier|cmtt|sftt|typewriter/i.test(fontName),
    }
    known.set(font, style)
    return style
  }
}

function readFontName(memory: PdfiumLibrary['pdfium'], font: number): string {
  const buffer = memory.wasmExports.malloc(NAME_BYTES)
  if (buffer === 0) return ''
  const length = memory.wasmExports.FPDFFont_GetBaseFontName(font, buffer, NAME_BYTES)
  const found =
    length > 1 && length <= NAME_BYTES ? Buffer.from(memory.HEAPU8.buffer, buffer, length - 1).toString('latin1') : ''
  memory.wasmExports.free(buffer)
  return found
}
