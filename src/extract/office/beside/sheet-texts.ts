// Texts of a sheet that are not in its cells: comments, text boxes, charts and diagrams, headers and footers.
import type { ZipFile } from '../../archive/zip-file.ts'
import { parseXmlMember, type ZipMember } from '../../archive/zip-file.ts'
import { checkDeadline, type ReaderContext } from '../../reader.ts'
import type { PicturePlace } from '../../section-writer.ts'
import { attributeNamed, type XmlHandlers } from '../../xml/xml-parser.ts'
import { readRelationships } from '../office-package.ts'
import type { DocumentPictures } from '../pictures/document-pictures.ts'
import { readDrawingPictures } from '../pictures/drawing-pictures.ts'
import { readDrawingLines } from './drawing-lines.ts'
import { graphicLines, readRelatedTexts } from './related-texts.ts'
import type { RepeatedLines } from './repeated-lines.ts'

export interface SheetTexts {
  lines: string[]
  /** Names of the embedded files. */
  files: string[]
  pictures: PicturePlace[]
}

export async function readSheetTexts(
  context: ReaderContext,
  zip: ZipFile,
  sheet: string,
  all: Pick<DocumentPictures, 'place'>,
): Promise<SheetTexts> {
  const relationships = [...(await readRelationships(zip, sheet)).values()]
  const lines: string[] = []
  const files: string[] = []
  const pictures: PicturePlace[] = []
  for (const { type, target } of relationships) {
    if (type === 'package') files.push(target)
    if (type !== 'drawing') continue
    lines.push(...(await readDrawingLines(context, zip.find(target))))
    lines.push(...graphicLines(await readRelatedTexts(context, zip, target)))
    await readDrawingPictures(zip, target, (...it) => {
      const place = all.place(...it)
      if (place !== null) pictures.push(place)
    })
  }
  // Those of a binary workbook are records.
  const membersOf = (wanted: string) =>
    relationships.flatMap(({ type, target }) => (type === wanted && !target.endsWith('.bin') ? [zip.find(target)] : []))
  const threads = await readCellComments(context, membersOf('threadedComment'), 'threadedComment')
  const comments = await readCellComments(context, membersOf('comments'), 'comment')
  // Each thread has a copy for older programs.
  const single = threads.length === 0 ? comments : comments.filter((it) => !COPY_OF_THREAD.test(it))
  if (threads.length + single.length > 0) lines.push('', 'Comments:', ...threads, ...single)
  return { lines, files, pictures }
}

const COPY_OF_THREAD = /^[A-Z]{0,3}\d{0,7}: \[/

/** Lines like `B2: text`. */
async function readCellComments(
  { budget }: ReaderContext,
  members: readonly (ZipMember | undefined)[],
  element: 'comment' | 'threadedComment',
): Promise<string[]> {
  const found: string[] = []
  for (const member of members) {
    if (member === undefined) continue
    let cell = ''
    let text = ''
    let isOpen = false
    await parseXmlMember(member, {
      open(name, attributes) {
        if (name === element) cell = (attributeNamed(attributes, 'ref') ?? '').slice(0, 20)
        if (name === 'text') isOpen = true
      },
      text(piece) {
        if (isOpen && text.length < MAX_COMMENT) text += piece
      },
      close(name) {
        if (name === 'text') isOpen = false
        if (name !== element) return
        checkDeadline(budget)
        const line = text.replace(/\s+/g, ' ').trim()
        if (line !== '') found.push(`${cell}: ${line}`)
        text = ''
      },
    })
  }
  return found
}

/** The text of a cell has the same limit. */
const MAX_COMMENT = 32_767

/** Adds the headers and footers of a sheet to `repeated` while another handler reads its cells. */
export function withHeaders(handlers: XmlHandlers, repeated: RepeatedLines): XmlHandlers {
  let text: string | null = null
  return {
    open(name, attributes) {
      text = /^(?:odd|even|first)(?:Header|Footer)$/.test(name) ? '' : null
      handlers.open?.(name, attributes)
    },
    text(piece) {
      if (text !== null && text.length < MAX_HEADER) text += piece
      handlers.text?.(piece)
    },
    close(name) {
      if (text !== null) for (const part of splitHeader(text)) repeated.add(...part)
      text = null
      handlers.close?.(name)
    },
  }
}

/** Excel's limit is 255. */
const MAX_HEADER = 2_000

/** ECMA-376 part 1, 18.3.1.39: `&L`, `&C`, `&R` begin a part; others are fonts, sizes, colours and fields. */
const HEADER_CODE = /&(?:"[^"]*"|K[0-9A-F]{6}|\d{1,3}|[A-Z&])/gi

/** The left, middle and right part of a header of a sheet. */
export function splitHeader(header: string): [text: string, hasField: boolean][] {
  const parts: [string, boolean][] = [['', false]]
  let from = 0
  const add = (text: string) => {
    const last = parts.at(-1)
    if (last !== undefined) last[0] += text
  }
  for (const match of header.matchAll(HEADER_CODE)) {
    add(header.slice(from, match.index))
    from = match.index + match[0].length
    const code = match[0].slice(1).toUpperCase()
    if (code === '&') add('&')
    else if (/^[LCR]$/.test(code)) parts.push(['', false])
    else if (/^[PNDTFAZ]$/.test(code)) parts[parts.length - 1] = [parts.at(-1)?.[0] ?? '', true]
  }
  add(header.slice(from))
  return parts
}
