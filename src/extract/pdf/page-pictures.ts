// Says whether a page is a picture that has to be recognized.
import type { PdfiumLibrary } from './pdfium-library.ts'

/** fpdf_edit.h: FPDF_PAGEOBJ_IMAGE and FPDF_PAGEOBJ_FORM. */
const IMAGE_OBJECT = 3
const FORM_OBJECT = 5
const MAX_OBJECTS = 1_000

/** A stamp or a page number, at most. */
const FEW_LETTERS = 20

export interface PagePictures {
  hasImages: boolean
  /** The page is a picture without text, or with a few letters beside it. */
  needsRecognition: boolean
}

export function findPagePictures(library: PdfiumLibrary, page: number, text: string): PagePictures {
  if (!hasFewLetters(text)) return { hasImages: false, needsRecognition: false }
  const images = listImages(library, page)
  const hasImages = images.length > 0
  if (text.trim() === '' || !hasImages) return { hasImages, needsRecognition: hasImages }
  const pageArea = library.FPDF_GetPageWidthF(page) * library.FPDF_GetPageHeightF(page)
  const imageArea = images.reduce((sum, image) => sum + areaOf(library, image), 0)
  return { hasImages, needsRecognition: imageArea * 2 > pageArea }
}

function hasFewLetters(text: string): boolean {
  let count = 0
  for (const _ of text.matchAll(/[\p{L}\p{N}]/gu)) if (++count >= FEW_LETTERS) return false
  return true
}

/** Images, and forms that contain one: some scanners wrap each picture in a form. */
function listImages(library: PdfiumLibrary, page: number): number[] {
  const found: number[] = []
  const left = { objects: MAX_OBJECTS }
  const count = library.FPDFPage_CountObjects(page)
  for (let at = 0; at < count && left.objects > 0; at++) {
    const object = library.FPDFPage_GetObject(page, at)
    if (containsImage(library, object, left)) found.push(object)
  }
  return found
}

const MAX_DEPTH = 5

function containsImage(library: PdfiumLibrary, object: number, left: { objects: number }, depth = 0): boolean {
  left.objects--
  const type = library.FPDFPageObj_GetType(object)
  if (type !== FORM_OBJECT || depth >= MAX_DEPTH) return type === IMAGE_OBJECT
  const count = library.FPDFFormObj_CountObjects(object)
  for (let at = 0; at < count && left.objects > 0; at++)
    if (containsImage(library, library.FPDFFormObj_GetObject(object, at), left, depth + 1)) return true
  return false
}

/** In square points. */
function areaOf(library: PdfiumLibrary, object: number): number {
  const { pdfium: memory } = library
  const sides = memory.wasmExports.malloc(16)
  if (sides === 0) return 0
  const isKnown = library.FPDFPageObj_GetBounds(object, sides, sides + 4, sides + 8, sides + 12)
  const [left = 0, bottom = 0, right = 0, top = 0] = new Float32Array(memory.HEAPU8.buffer, sides, 4)
  memory.wasmExports.free(sides)
  return isKnown ? Math.max(0, right - left) * Math.max(0, top - bottom) : 0
}
