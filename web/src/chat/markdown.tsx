// An answer's Markdown as elements of ours. Whatever it says, it is text: no HTML, no image, no address but a link's.
import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { createElement, Fragment, memo, type ReactNode } from 'react'
import { CodeBlock } from '../parts/copy.tsx'
import { hostOf, safeHref } from '../parts/link.ts'
import { TableFrame } from '../parts/table-frame.tsx'
import { Cite } from './cite.tsx'
import { withoutEntities } from './entities.ts'

/** Longer than any answer that a person reads; laying it out would hold up the page. */
const MAX_TEXT = 200_000
/** Quotes in lists in quotes: deeper, it stays as it was written. */
const MAX_DEPTH = 16
/** Above them stand the page's own headings. */
const TOP_HEADING = 3
const LAST_HEADING = 6

export const Markdown = memo(({ text }: { text: string }) => {
  const tokens = lexed(text)
  if (tokens === null) return <p className="md-plain">{text}</p>
  return <div className="md">{blocks(tokens, { depth: 0, level: TOP_HEADING - 1 })}</div>
})

/** Null: nothing that can be laid out, as thousands of quotes in each other. */
function lexed(text: string): Token[] | null {
  if (text.length > MAX_TEXT) return null
  try {
    return new Lexer({ gfm: true }).lex(text)
  } catch (error) {
    // Too deep for the stack is all that it throws for a text.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Where we are: how deep, and under a heading of which level. */
interface Place {
  depth: number
  level: number
}

const blocks = (tokens: readonly Token[], place: Place): ReactNode[] =>
  // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end.
  tokens.map((it, at) => <Fragment key={at}>{block(it, place)}</Fragment>)

function block(token: Token, place: Place): ReactNode {
  if (place.depth > MAX_DEPTH) return <p className="md-plain">{token.raw}</p>
  const inner = { depth: place.depth + 1, level: place.level }
  // Without extensions the tokens are the lexer's own; the union with a generic one only says that there may be others.
  const it = token as MarkedToken
  switch (it.type) {
    case 'space':
    case 'def':
      return null
    case 'hr':
      return <hr />
    case 'heading':
      return heading(it, place)
    case 'code':
      return <CodeBlock text={it.text} label={it.lang ? `Code, ${it.lang}` : 'Code'} />
    case 'blockquote':
      return <blockquote>{blocks(it.tokens, inner)}</blockquote>
    case 'list':
      return list(it, inner)
    case 'table':
      return <Table table={it} depth={place.depth} />
    case 'html':
      return <p className="md-plain">{it.text.trimEnd()}</p>
    case 'paragraph':
      return <p>{inlines(it.tokens, place.depth)}</p>
    case 'text':
      return it.tokens === undefined ? inline(it, place.depth) : inlines(it.tokens, place.depth)
    default:
      return inline(token, place.depth)
  }
}

/** None is left out on the way down, whatever the text does: who reads by headings finds each. */
function heading({ depth, tokens }: Tokens.Heading, place: Place): ReactNode {
  place.level = Math.min(TOP_HEADING - 1 + depth, place.level + 1, LAST_HEADING)
  return createElement(`h${place.level}`, {}, inlines(tokens, place.depth))
}

function list({ ordered, start, items, loose }: Tokens.List, place: Place): ReactNode {
  const children = items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end.
    <li key={at} className={item.task ? 'md-task' : undefined}>
      {blocks(item.tokens, place)}
    </li>
  ))
  const className = loose ? 'md-loose' : undefined
  if (!ordered) return <ul className={className}>{children}</ul>
  return (
    <ol className={className} start={typeof start === 'number' ? start : 1}>
      {children}
    </ol>
  )
}

const Table = ({ table: { header, rows }, depth }: { table: Tokens.Table; depth: number }) => (
  <TableFrame label="Table of the answer">
    <table>
      <thead>
        <tr>{header.map((it, at) => cell('th', it, at, depth))}</tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end.
          <tr key={at}>{row.map((it, column) => cell('td', it, column, depth))}</tr>
        ))}
      </tbody>
    </table>
  </TableFrame>
)

const cell = (tag: 'th' | 'td', { tokens, align }: Tokens.TableCell, key: number, depth: number): ReactNode =>
  createElement(
    tag,
    { key, className: align ? `md-${align}` : undefined, ...(tag === 'th' && { scope: 'col' }) },
    inlines(tokens, depth),
  )

const inlines = (tokens: readonly Token[], depth: number): ReactNode[] =>
  // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end.
  tokens.map((it, at) => <Fragment key={at}>{inline(it, depth + 1)}</Fragment>)

const BREAK = /^<br\s*\/?>$/i

function inline(token: Token, depth: number): ReactNode {
  if (depth > MAX_DEPTH) return token.raw
  const it = token as MarkedToken
  switch (it.type) {
    case 'br':
      return <br />
    case 'strong':
      return <strong>{inlines(it.tokens, depth)}</strong>
    case 'em':
      return <em>{inlines(it.tokens, depth)}</em>
    case 'del':
      return <del>{inlines(it.tokens, depth)}</del>
    case 'codespan':
      return <code>{it.text}</code>
    case 'checkbox':
      return it.checked ? '☑ ' : '☐ '
    case 'image':
      return <Picture href={it.href} text={it.text} />
    case 'link':
      return link(it, depth)
    case 'html':
      // The one thing that models write in tables, and that can do no harm.
      return BREAK.test(it.text) ? <br /> : it.text
    case 'escape':
      return it.text
    case 'text':
      return it.tokens === undefined ? withoutEntities(it.text) : inlines(it.tokens, depth)
    default:
      return token.raw
  }
}

const MARK = /^\[\[(\d{1,6})\]\]\(/

function link({ raw, href, tokens, text }: Tokens.Link, depth: number): ReactNode {
  const mark = MARK.exec(raw)
  if (mark !== null) return <Cite number={Number(mark[1])} />
  const target = safeHref(withoutEntities(href))
  const shown = inlines(tokens, depth)
  if (target === undefined) return shown
  const host = hostOf(target)
  return (
    <>
      <a href={target} target="_blank" rel="noopener noreferrer">
        <bdi>{shown}</bdi>
      </a>
      {/* Where it leads is not for the text to say. */}
      {text !== target && text !== host && <span className="md-host"> ({host})</span>}
    </>
  )
}

/** Loading it would tell its server who reads what. */
function Picture({ href, text }: { href: string; text: string }) {
  const target = safeHref(withoutEntities(href))
  const from = target === undefined ? '' : ` from ${hostOf(target)}`
  return (
    <span className="md-image">
      Image, not loaded{from}
      {text !== '' && (
        <>
          : <bdi>{withoutEntities(text)}</bdi>
        </>
      )}
    </span>
  )
}
