// Texts of an OpenDocument file outside its main content: headers and footers, charts and embedded documents.
import { parseXmlMember, type ZipFile } from '../../archive/zip-file.ts'
import { checkDeadline, type ReaderContext } from '../../reader.ts'
import { type Attributes, attributeNamed, type XmlHandlers } from '../../xml/xml-parser.ts'
import { createRepeatedLines, type RepeatedLines } from './repeated-lines.ts'

/** Texts of fields that programs replace on each page, or at each opening. */
const FIELDS = new Set([
  'page-number',
  'page-count',
  'page-continuation',
  'date',
  'time',
  'sheet-name',
  'file-name',
  'title',
  'date-time',
])

/** Reads the headers, footers and frames of the master pages. Placeholders and notes are left out. */
export async function readMasterPages(context: ReaderContext, zip: ZipFile): Promise<RepeatedLines> {
  const repeated = createRepeatedLines()
  const styles = zip.find('styles.xml')
  if (styles !== undefined) await parseXmlMember(styles, createMasterHandlers(context, repeated))
  return repeated
}

/** Placeholders show the texts of the pages, or tell how to fill them in. Those of footers may have a text of their own. */
const isPlaceholder = (name: string, attributes: Attributes): boolean => {
  if (name !== 'frame' && name !== 'custom-shape') return false
  const kind = attributeNamed(attributes, 'class')
  return kind === undefined ? attributeNamed(attributes, 'placeholder') === 'true' : !OWN_TEXTS.has(kind)
}
const OWN_TEXTS = new Set(['header', 'footer', 'date-time'])

/** Inside a paragraph, the last two show what a slide declares. */
const isField = (name: string, isInParagraph: boolean): boolean =>
  FIELDS.has(name) || (isInParagraph && (name === 'header' || name === 'footer'))

/** A header that is switched off (`style:display`). */
const isHidden = (name: string, attributes: Attributes): boolean =>
  /^(?:header|footer)/.test(name) && attributeNamed(attributes, 'display') === 'false'

export function createMasterHandlers({ budget }: Pick<ReaderContext, 'budget'>, repeated: RepeatedLines): XmlHandlers {
  let masterDepth = 0
  let paragraphDepth = 0
  let ignoredDepth = 0
  let text = ''
  let hasField = false
  return {
    open(name, attributes) {
      if (name === 'master-styles') masterDepth++
      if (masterDepth === 0) return
      if (ignoredDepth > 0 || isPlaceholder(name, attributes) || isHidden(name, attributes) || name === 'notes')
        ignoredDepth++
      else if (isField(name, paragraphDepth > 0)) {
        ignoredDepth++
        hasField = true
      } else if (name === 'p' || name === 'h') paragraphDepth++
      else if (name === 's' || name === 'tab' || name === 'line-break') text += ' '
    },
    text(piece) {
      if (paragraphDepth > 0 && ignoredDepth === 0) text += piece
    },
    close(name) {
      if (name === 'master-styles') masterDepth--
      if (ignoredDepth > 0) {
        ignoredDepth--
        return
      }
      if ((name !== 'p' && name !== 'h') || paragraphDepth === 0) return
      checkDeadline(budget)
      repeated.add(text, hasField)
      paragraphDepth--
      text = ''
      hasField = false
    },
  }
}

/** Objects and repeated texts that the content of a document refers to. */
export interface OdfReferences {
  /** Folders of embedded documents, with the anchor of the place that shows them. */
  objects: { folder: string; anchor: string | null }[]
  /** Footers and headers of slides, which the content declares. */
  declared: string[]
}

/** Facts about a comment; they are no text of the paragraph that has it. */
const COMMENT_FACTS = new Set(['creator', 'creator-initials', 'sender-initials', 'date', 'date-string'])

/** Collects references while another handler reads the content. */
export function withReferences(handlers: XmlHandlers, found: OdfReferences): XmlHandlers {
  const place = createPlace()
  let declaration: string | null = null
  let commentDepth = 0
  let isFact = false
  return {
    open(name, attributes) {
      place.enter(name, attributes)
      if (name === 'annotation') commentDepth++
      isFact = commentDepth > 0 && COMMENT_FACTS.has(name)
      declaration = name === 'footer-decl' || name === 'header-decl' ? '' : null
      const folder = name === 'object' ? objectFolder(attributeNamed(attributes, 'href') ?? '') : null
      if (folder !== null && found.objects.length < MAX_OBJECTS) found.objects.push({ folder, anchor: place.anchor() })
      handlers.open?.(name, attributes)
    },
    text(piece) {
      if (declaration !== null && declaration.length < MAX_DECLARATION) declaration += piece
      if (!isFact) handlers.text?.(piece)
    },
    close(name) {
      if (name === 'annotation') commentDepth--
      if (declaration !== null && declaration !== '') found.declared.push(declaration)
      declaration = null
      isFact = false
      handlers.close?.(name)
    },
  }
}

/** The anchor of the current slide or sheet. */
export function createPlace(): { enter(name: string, attributes: Attributes): void; anchor(): string | null } {
  let anchor: string | null = null
  let slides = 0
  let isSpreadsheet = false
  return {
    enter(name, attributes) {
      if (name === 'spreadsheet') isSpreadsheet = true
      if (name === 'page') anchor = `slide=${++slides}`
      if (name === 'table' && isSpreadsheet)
        anchor = `sheet=${encodeURIComponent((attributeNamed(attributes, 'name') ?? '').toWellFormed())}`
    },
    anchor: () => anchor,
  }
}

const MAX_OBJECTS = 10_000
const MAX_DECLARATION = 2_000

/** `./Object 1` is a folder of the same file. Null for everything else. */
function objectFolder(href: string): string | null {
  const folder = href.replace(/^\.\//, '')
  return folder === '' || folder.includes(':') || folder.includes('..') || folder.startsWith('/') ? null : folder
}
