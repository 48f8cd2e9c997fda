import { parseDocument } from 'htmlparser2'
import { marked, type Token } from 'marked'
import { type Chapters, createChapters, rowText } from './chapters.ts'
import { decodeText } from './decode-text.ts'
import { htmlText } from './html-text.ts'
import { textOf } from './html-tree.ts'
import type { Reader } from './reading.ts'
import { createSlugs } from './slug.ts'

export const readMarkdown: Reader = (reading) => {
  const { front, body } = splitFrontMatter(decodeText(reading.bytes, [reading.charset]))
  const chapters = createChapters(reading)
  const slugs = createSlugs()
  let title = statedTitle(front)
  for (const token of marked.lexer(body)) {
    if (token.type !== 'heading') {
      writeBlock(token, chapters, '')
      continue
    }
    const heading = inlineText(token.tokens ?? [])
    if (token.depth === 1) title ??= heading
    chapters.heading(heading, slugs(heading))
  }
  chapters.end()
  reading.facts({ title })
}

const statedTitle = (front: string): string | null =>
  /^title:(.*)$/m
    .exec(front)?.[1]
    ?.trim()
    .replace(/^(["'])(.*)\1$/, '$2') || null

function splitFrontMatter(text: string): { front: string; body: string } {
  const end =
    text.startsWith('---\n') || text.startsWith('---\r\n') ? text.slice(3, 20_000).search(/\n(?:---|\.\.\.)\s*\n/) : -1
  return end < 0 ? { front: '', body: text } : { front: text.slice(4, end + 3), body: text.slice(end + 7) }
}

function writeBlock(token: Token, chapters: Chapters, indent: string): void {
  if (token.type === 'space' || token.type === 'def' || token.type === 'hr') return
  if (token.type === 'list') for (const item of token.items) writeItem(item.tokens, chapters, indent)
  else if (token.type === 'table')
    for (const row of [token.header, ...token.rows]) chapters.line(rowText(row.map(cellText)))
  else if (token.type === 'code') chapters.line(token.text)
  else if (token.type === 'html') chapters.line(htmlText(token.text).text)
  else if (token.type === 'blockquote') for (const inner of token.tokens ?? []) writeBlock(inner, chapters, indent)
  else chapters.line(indent + inlineText('tokens' in token && token.tokens ? token.tokens : [token]))
  if (indent === '') chapters.line('')
}

function writeItem(tokens: Token[], chapters: Chapters, indent: string): void {
  const [first, ...rest] = tokens
  if (first !== undefined && first.type !== 'list')
    chapters.line(`${indent}- ${inlineText('tokens' in first && first.tokens ? first.tokens : [first])}`)
  else rest.unshift(...(first === undefined ? [] : [first]))
  for (const token of rest) writeBlock(token, chapters, `${indent}  `)
}

const cellText = (cell: { tokens: Token[] }): string => inlineText(cell.tokens)

/** What stands there when it is rendered: the text of links, what images say in words. */
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
  text.includes('&') ? textOf(parseDocument(text.replaceAll('<', '&lt;'))) : text
