// Reads the headers and footers of a Word document.
import { parseXmlMember, type ZipFile } from '../../archive/zip-file.ts'
import { checkDeadline, type ReaderContext } from '../../reader.ts'
import { type Attributes, attributeNamed, type XmlHandlers } from '../../xml/xml-parser.ts'
import { readRelationships } from '../office-package.ts'
import { createRepeatedLines, type RepeatedLines } from './repeated-lines.ts'

export async function readDocxHeaders(context: ReaderContext, zip: ZipFile, main: string): Promise<RepeatedLines> {
  const repeated = createRepeatedLines()
  for (const { type, target } of (await readRelationships(zip, main)).values()) {
    const member = type === 'header' || type === 'footer' ? zip.find(target) : undefined
    if (member !== undefined) await parseXmlMember(member, createHeaderHandlers(context, repeated))
  }
  return repeated
}

/** Fields with another value on each page, or at each opening. */
export const CHANGING_FIELD = /^\s{0,9}(?:PAGE|NUMPAGES|SECTIONPAGES|DATE|TIME|PRINTDATE|SAVEDATE)\b/i
const MAX_CODE = 200
const IGNORED_ELEMENTS = new Set(['Fallback', 'delText'])

/** A field is one element, or its code and its result lie between `begin`, `separate` and `end`. */
interface Field {
  code: string
  /** Its result is left out. */
  isChanging: boolean
}

function createHeaderHandlers({ budget }: ReaderContext, repeated: RepeatedLines): XmlHandlers {
  const fields: Field[] = []
  let text = ''
  let hasField = false
  let inText = false
  let inCode = false
  let ignoredDepth = 0
  /** The number of open fields whose result is left out. Fields may be nested deeply. */
  let changing = 0
  const beginResult = (field: Field) => {
    if (field.isChanging || !CHANGING_FIELD.test(field.code)) return
    field.isChanging = true
    changing++
  }
  const readFieldMark = (type: string | undefined) => {
    const field = fields.at(-1)
    if (type === 'begin') fields.push({ code: '', isChanging: false })
    else if (type === 'separate' && field !== undefined) beginResult(field)
    else if (type === 'end') endField()
  }
  const endField = () => {
    const field = fields.pop()
    if (field === undefined) return
    if (field.isChanging) changing--
    if (CHANGING_FIELD.test(field.code)) hasField = true
  }
  const open = (name: string, attributes: Attributes) => {
    if (name === 't') inText = true
    else if (name === 'instrText') inCode = true
    else if (name === 'tab' || name === 'br' || name === 'ptab') text += ' '
    else if (name === 'fldChar') readFieldMark(attributeNamed(attributes, 'fldCharType'))
    else if (name === 'fldSimple') {
      const field = { code: (attributeNamed(attributes, 'instr') ?? '').slice(0, MAX_CODE), isChanging: false }
      fields.push(field)
      beginResult(field)
    }
  }
  const close = (name: string) => {
    if (name === 't') inText = false
    else if (name === 'instrText') inCode = false
    else if (name === 'fldSimple') endField()
    else if (name === 'p') {
      checkDeadline(budget)
      repeated.add(text, hasField)
      text = ''
      hasField = false
    }
  }
  return {
    open(name, attributes) {
      if (IGNORED_ELEMENTS.has(name)) ignoredDepth++
      if (ignoredDepth === 0) open(name, attributes)
    },
    text(piece) {
      const field = fields.at(-1)
      if (inCode && field !== undefined) field.code = (field.code + piece).slice(0, MAX_CODE)
      if (inText && ignoredDepth === 0 && changing === 0) text += piece
    },
    close(name) {
      if (IGNORED_ELEMENTS.has(name)) ignoredDepth--
      else if (ignoredDepth === 0) close(name)
    },
  }
}
