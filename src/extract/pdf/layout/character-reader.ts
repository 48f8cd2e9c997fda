// Asks PDFium for the place and the font of single characters, without the conversions of its wrapper.
import type { PdfiumLibrary } from '../pdfium-library.ts'

export interface CharacterReader {
  /** Offsets are those of the text. */
  edges(at: number): { left: number; right: number }
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

/** Four floats of a box, six of a matrix or two doubles of a point. */
const RESULT_BYTES = 24
/** The sides of a turned letter lean by more than this share of their length. */
const MAX_LEAN = 0.1

/** Null if there is no memory, or if the text counts some characters as two. */
export function createCharacterReader(library: PdfiumLibrary, textPage: number, text: string): CharacterReader | null {
  const { pdfium: memory } = library
  if (/[\ud800-\udfff]/.test(text)) return null
  // Characters without Unicode are not in the text.
  const isShorter = memory._FPDFText_CountChars(textPage) !== text.length
  const indexOf = (at: number): number => (isShorter ? memory._FPDFText_GetCharIndexFromTextIndex(textPage, at) : at)
  const result = memory.wasmExports.malloc(RESULT_BYTES)
  if (result === 0) return null
  let floats = new Float32Array(0)
  let doubles = new Float64Array(0)
  /** The memory may have been replaced. */
  const refresh = () => {
    if (floats.buffer === memory.HEAPU8.buffer) return
    floats = new Float32Array(memory.HEAPU8.buffer, result, RESULT_BYTES / 4)
    doubles = new Float64Array(memory.HEAPU8.buffer, result, RESULT_BYTES / 8)
  }
  const styleOf = createFontStyles(library)
  return {
    edges(at) {
      const isKnown = memory._FPDFText_GetLooseCharBox(textPage, indexOf(at), result)
      refresh()
      const [left = Number.NaN, , right = Number.NaN] = isKnown ? floats : []
      return { left, right }
    },
    style(at) {
      const index = indexOf(at)
      memory._FPDFText_GetMatrix(textPage, index, result)
      refresh()
      const [a = 1, b = 0, c = 0, d = 1] = floats
      const isTurned = a <= 0 || Math.abs(b) > a * MAX_LEAN
      const size = memory._FPDFText_GetFontSize(textPage, index) * Math.hypot(c, d)
      memory._FPDFText_GetCharOrigin(textPage, index, result, result + 8)
      refresh()
      const baseline = doubles[1] ?? Number.NaN
      const object = memory._FPDFText_GetTextObject(textPage, index)
      return { size, baseline, isTurned, ...styleOf(object === 0 ? 0 : memory._FPDFTextObj_GetFont(object)) }
    },
    close: () => memory.wasmExports.free(result),
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
    const flags = memory._FPDFFont_GetFlags(font)
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
  const length = memory._FPDFFont_GetBaseFontName(font, buffer, NAME_BYTES)
  const found =
    length > 1 && length <= NAME_BYTES ? Buffer.from(memory.HEAPU8.buffer, buffer, length - 1).toString('latin1') : ''
  memory.wasmExports.free(buffer)
  return found
}
