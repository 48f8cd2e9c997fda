// Reads the texts on top of the pages of a PDF: notes and other annotations, and the values of form fields.
import type { PdfiumLibrary } from './pdfium-library.ts'
import { readUtf16 } from './utf16.ts'

/** The form environment of a document. Scripts are not run: this build of PDFium has no interpreter. */
export interface PdfForm {
  /** 0 if there is no form. Opened by the first call. */
  handle(): number
  close(): void
}

export interface AnnotationTexts {
  notes: string[]
  /** Lines like `Name: value`. */
  fields: string[]
  /** Handles of attached files. */
  files: number[]
}

export function createForm(library: PdfiumLibrary, document: number): PdfForm {
  let info = 0
  let handle = 0
  return {
    handle() {
      if (info !== 0) return handle
      info = library.PDFiumExt_OpenFormFillInfo()
      if (info !== 0) handle = library.PDFiumExt_InitFormFillEnvironment(document, info)
      return handle
    },
    close() {
      if (handle !== 0) library.PDFiumExt_ExitFormFillEnvironment(handle)
      if (info !== 0) library.PDFiumExt_CloseFormFillInfo(info)
    },
  }
}

/** Real pages have fewer. */
const MAX_ANNOTATIONS = 5_000
/** In UTF-16 code units, of the notes and of the fields of a page. Further ones are left out. */
const MAX_CHARACTERS = 500_000

/** fpdf_annot.h: FPDF_ANNOT_LINK and FPDF_ANNOT_WIDGET. */
const LINK = 2
const WIDGET = 20

/** Texts that several annotations of the page repeat come once, as those of a note and of its pop-up. */
export function readAnnotations(library: PdfiumLibrary, page: number, form: PdfForm): AnnotationTexts {
  const notes = createTexts()
  const fields = createTexts()
  const files: number[] = []
  const count = Math.min(library.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)
  for (let at = 0; at < count; at++) {
    const annotation = library.FPDFPage_GetAnnot(page, at)
    if (annotation === 0) continue
    const type = library.FPDFAnnot_GetSubtype(annotation)
    if (type === WIDGET && form.handle() !== 0) fields.add(readField(library, form.handle(), annotation))
    if (type !== WIDGET && type !== LINK) {
      notes.add(
        readUtf16(library, (to, size) => library.FPDFAnnot_GetStringValue(annotation, 'Contents', to, size), MAX_TEXT),
      )
      const file = library.FPDFAnnot_GetFileAttachment(annotation)
      if (file !== 0) files.push(file)
    }
    library.FPDFPage_CloseAnnot(annotation)
  }
  return { notes: notes.list(), fields: fields.list(), files }
}

function createTexts(): { add(text: string): void; list(): string[] } {
  const found = new Set<string>()
  let length = 0
  return {
    add(text) {
      if (text === '' || found.has(text) || length + text.length > MAX_CHARACTERS) return
      found.add(text)
      length += text.length
    },
    list: () => [...found],
  }
}

/** In bytes, of a note or a value. Longer ones are left out. */
const MAX_TEXT = 65_536

/** fpdf_formfill.h: FPDF_FORMFIELD_*. */
const CHECK_BOX = 2
const RADIO_BUTTON = 3
const COMBO_BOX = 4
const LIST_BOX = 5
const TEXT_FIELD = 6

/** Empty for a field without a value, a box that is not checked, and a button. */
function readField(library: PdfiumLibrary, form: number, field: number): string {
  const value = readValue(library, form, field)
  if (value === '') return ''
  const label =
    readUtf16(library, (to, size) => library.FPDFAnnot_GetFormFieldAlternateName(form, field, to, size)) ||
    readUtf16(library, (to, size) => library.FPDFAnnot_GetFormFieldName(form, field, to, size))
  return label === '' ? value : `${label}: ${value}`
}

function readValue(library: PdfiumLibrary, form: number, field: number): string {
  const type = library.FPDFAnnot_GetFormFieldType(form, field)
  const value = () =>
    readUtf16(library, (to, size) => library.FPDFAnnot_GetFormFieldValue(form, field, to, size), MAX_TEXT)
  if (type === CHECK_BOX || type === RADIO_BUTTON) {
    // The appearance that is shown. FPDFAnnot_IsChecked needs a page that is open for input.
    const state = readUtf16(library, (to, size) => library.FPDFAnnot_GetStringValue(field, 'AS', to, size))
    return state === 'Off' ? '' : state
  }
  if (type === COMBO_BOX || type === LIST_BOX) return selectedLabels(library, form, field) || value()
  return type === TEXT_FIELD ? value() : ''
}

const MAX_OPTIONS = 1_000

function selectedLabels(library: PdfiumLibrary, form: number, field: number): string {
  const labels: string[] = []
  const count = Math.min(library.FPDFAnnot_GetOptionCount(form, field), MAX_OPTIONS)
  for (let at = 0; at < count; at++)
    if (library.FPDFAnnot_IsOptionSelected(form, field, at))
      labels.push(readUtf16(library, (to, size) => library.FPDFAnnot_GetOptionLabel(form, field, at, to, size)))
  return labels.filter((it) => it !== '').join(', ')
}
