// Draws a page of a PDF into shades of grey.

import type { GreyPicture } from '../../domain/pictures/grey-picture.ts'
import { greyOfColour, overWhite } from '../picture/shades.ts'
import { ReadEnded } from '../reader.ts'
import type { PdfiumLibrary } from './pdfium-library.ts'

export interface RenderSettings {
  /** The size of the picture in pixels, from the size of the page in points. */
  sizeOf(page: PageSize): PageSize
  /** Throws `ReadEnded` if nothing is drawn, as when the only picture of the page is damaged. */
  mustDraw: boolean
}

interface PageSize {
  width: number
  height: number
}

/** fpdfview.h: FPDFBitmap_BGRx and FPDFBitmap_BGRA. */
const OPAQUE = 3
const TRANSPARENT = 4
const WHITE = 0xffffffff

/** Annotations are not drawn. Throws `ReadEnded` if the page is broken or the memory is not sufficient. */
export function renderPage(
  library: PdfiumLibrary,
  document: number,
  at: number,
  { sizeOf, mustDraw }: RenderSettings,
): GreyPicture {
  const page = library.FPDF_LoadPage(document, at)
  if (page === 0) throw new ReadEnded('damaged', `Page ${at + 1} of the document is not readable.`)
  let bitmap = 0
  try {
    const size = sizeOf({ width: library.FPDF_GetPageWidthF(page), height: library.FPDF_GetPageHeightF(page) })
    bitmap = library.FPDFBitmap_CreateEx(size.width, size.height, mustDraw ? TRANSPARENT : OPAQUE, 0, 0)
    if (bitmap === 0) throw new ReadEnded('limit', 'memory')
    library.FPDFBitmap_FillRect(bitmap, 0, 0, size.width, size.height, mustDraw ? 0 : WHITE)
    library.FPDF_RenderPageBitmap(bitmap, page, 0, 0, size.width, size.height, 0, 0)
    const picture = readBitmap(library, bitmap, size, mustDraw)
    if (picture === null) throw new ReadEnded('damaged', 'The picture is not readable.')
    return picture
  } finally {
    if (bitmap !== 0) library.FPDFBitmap_Destroy(bitmap)
    library.FPDF_ClosePage(page)
  }
}

/** Null if a transparent bitmap is empty. */
function readBitmap(
  library: PdfiumLibrary,
  bitmap: number,
  { width, height }: PageSize,
  isTransparent: boolean,
): GreyPicture | null {
  const stride = library.FPDFBitmap_GetStride(bitmap)
  const begin = library.FPDFBitmap_GetBuffer(bitmap)
  const heap = library.pdfium.HEAPU8
  const pixels = new Uint8Array(width * height)
  let isEmpty = isTransparent
  for (let y = 0, to = 0; y < height; y++) {
    for (let from = begin + y * stride, end = from + width * 4; from < end; from += 4, to++) {
      const grey = greyOfColour(heap[from + 2] ?? 0, heap[from + 1] ?? 0, heap[from] ?? 0)
      const opacity = isTransparent ? (heap[from + 3] ?? 0) : 255
      if (opacity > 0) isEmpty = false
      pixels[to] = opacity === 255 ? grey : overWhite(grey, opacity)
    }
  }
  return isEmpty ? null : { width, height, pixels }
}
