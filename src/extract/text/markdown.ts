import { parseDocument } from 'htmlparser2'
import { marked, type Token } from 'marked'
import { htmlText } from '../html/html-text.ts'
import { textContent } from '../html/html-tree.ts'
import type { FormatReader } from '../reader.ts'
import { createSectionWriter, type SectionWriter } from '../section-writer.ts'
import { createSlugger } from '../slugger.ts'
import { createTableWriter } from '../table-writer.ts'
import { decodeText } from './decode-text.ts'

export const readMarkdown: FormatReader = (context) => {
  const { front: frontMatter, body } = splitFrontMatter(decodeText(context.bytes, [context.charset]))
  const writer = createSectionWriter(context)
  const toSlug = createSlugger()
  let title = frontMatterTitle(frontMatter)
  for (const token of marked.lexer(body)) {
    if (token.type !== 'heading') {
      writeBlock(token, writer, '')
      continue
    }
    const heading = inlineText(token.tokens ?? [])
    if (token.depth === 1) title ??= heading
    writer.heading(heading, toSlug(heading))
  }
  writer.end()
  context.facts({ title })
}

const frontMatterTitle = (front: string): string | null =>
  /^title:(.*)$/m
    .exec(front)?.[1]
    ?.trim()
    .replace(/^(["'])(.*)\1$/, '$2') || null

function splitFrontMatter(text: string): { front: string; body: string } {
  const end =
    text.startsWith('---\n') || text.startsWith('---\r\n') ? text.slice(3, 20_000).search(/\n(?:---|\.\.\.)\s*\n/) : -1
  return end < 0 ? { front: '', body: text } : { front: text.slice(4, end + 3), body: text.slice(end + 7) }
}

function writeBlock(token: Token, writer: SectionWriter, indent: string): void {
  if (token.type === 'space' || token.type === 'def' || token.type === 'hr') return
  if (token.type === 'list') for (const item of token.items) writeItem(item.tokens, writer, indent)
  else if (token.type === 'table') writeTable([token.header, ...token.rows], writer)
  else if (token.type === 'code') writer.line(token.text)
  else if (token.type === 'html') writer.line(htmlText(token.text).text)
  else if (token.type === 'blockquote') for (const inner of token.tokens ?? []) writeBlock(inner, writer, indent)
  else writer.line(indent + inlineText('tokens' in token && token.tokens ? token.tokens : [token]))
  if (indent === '') writer.line('')
}

function writeTable(rows: readonly { tokens: Token[] }[][], writer: SectionWriter): void {
  const table = createTableWriter(writer)
  for (const [at, row] of rows.entries()) table.row(row.map(cellText), { isHeader: at === 0 })
  table.end()
}

function writeItem(tokens: Token[], writer: SectionWriter, indent: string): void {
  const [first, ...rest] = tokens
  if (first !== undefined && first.type !== 'list')
    writer.line(`${indent}- ${inlineText('tokens' in first && first.tokens ? first.tokens : [first])}`)
  else rest.unshift(...(first === undefined ? [] : [first]))
  for (const token of rest) writeBlock(token, writer, `${indent}  `)
}

const cellText = (cell: { tokens: Token[] }): string => inlineText(cell.tokens)

/** The rendered text: link texts and alternative texts of images. */
function inlineText(tokens: readonly Token[]): string {
  let text = ''
  for (const token of tokens) {
    if (token.type === 'br') text += '\n'
    else if (token.type === 'html') text += ''
    else if (token.type !== 'image' && 'tokens' in token && token.tokens) text += inlineText(token.tokens)
    else if ('text' in token && typeof token.text === 'string') text += unescapeEntities(token.text)
  }
  return text
}

const unescapeEntities = (text: string): string =>
  text.includes('&') ? textContent(parseDocument(text.replaceAll('<', '&lt;'))) : text
