// An answer's Markdown as elements of ours. Whatever it says, it is text: no HTML, no image, no address but a link's.
import type { MarkedToken, Token, Tokens } from 'marked'
import { createElement, Fragment, memo, type ReactNode } from 'react'
import { CodeBlock } from '../parts/copy.tsx'
import { hostOf, safeHref } from '../parts/link.ts'
import { TableFrame } from '../parts/table-frame.tsx'
import { BoundedLexer } from './bounded-lexer.ts'
import { Cite } from './cite.tsx'
import { withoutEntities } from './entities.ts'

/** Longer than any answer that a person reads; laying it out would hold up the page. */
const MAX_TEXT = 100_000
/** Above them stand the page's own headings. */
const TOP_HEADING = 3
const LAST_HEADING = 6

export const Markdown = memo(({ text }: { text: string }) => {
  if (text.length > MAX_TEXT) return <p className="md-plain">{text}</p>
  return <div className="md">{blocks(new BoundedLexer({ gfm: true }).lex(text), { level: TOP_HEADING - 1 })}</div>
})

/** The heading that stands above. */
interface Place {
  level: number
}

const blocks = (tokens: readonly Token[], place: Place): ReactNode[] =>
  // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end.
  tokens.map((it, at) => <Fragment key={at}>{block(it, place)}</Fragment>)

function block(token: Token, place: Place): ReactNode {
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
      return <blockquote>{blocks(it.tokens, place)}</blockquote>
    case 'list':
      return list(it, place)
    case 'table':
      return <Table table={it} />
    case 'html':
      return <p className="md-plain">{it.text.trimEnd()}</p>
    case 'paragraph':
      return <p>{inlines(it.tokens)}</p>
    case 'text':
      return it.tokens === undefined ? inline(it) : inlines(it.tokens)
    default:
      return inline(token)
  }
}

/** None is left out on the way down, whatever the text does: who reads by headings finds each. */
function heading({ depth, tokens }: Tokens.Heading, place: Place): ReactNode {
  place.level = Math.min(TOP_HEADING - 1 + depth, place.level + 1, LAST_HEADING)
  return createElement(`h${place.level}`, {}, inlines(tokens))
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

const Table = ({ table: { header, rows } }: { table: Tokens.Table }) => (
  <TableFrame label="Table of the answer">
    <table>
      <thead>
        <tr>{header.map((it, at) => cell('th', it, at))}</tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end.
          <tr key={at}>{row.map((it, column) => cell('td', it, column))}</tr>
        ))}
      </tbody>
    </table>
  </TableFrame>
)

const cell = (tag: 'th' | 'td', { tokens, align }: Tokens.TableCell, key: number): ReactNode =>
  createElement(
    tag,
    { key, className: align ? `md-${align}` : undefined, ...(tag === 'th' && { scope: 'col' }) },
    inlines(tokens),
  )

const inlines = (tokens: readonly Token[]): ReactNode[] =>
  // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end.
  tokens.map((it, at) => <Fragment key={at}>{inline(it)}</Fragment>)

const BREAK = /^<br\s*\/?>$/i

function inline(token: Token): ReactNode {
  const it = token as MarkedToken
  switch (it.type) {
    case 'br':
      return <br />
    case 'strong':
      return <strong>{inlines(it.tokens)}</strong>
    case 'em':
      return <em>{inlines(it.tokens)}</em>
    case 'del':
      return <del>{inlines(it.tokens)}</del>
    case 'codespan':
      return <code>{it.text}</code>
    case 'checkbox':
      return it.checked ? '☑ ' : '☐ '
    case 'image':
      return <Picture href={it.href} text={it.text} />
    case 'link':
      return link(it)
    case 'html':
      // The one thing that models write in tables, and that can do no harm.
      return BREAK.test(it.text) ? <br /> : it.text
    case 'escape':
      return it.text
    case 'text':
      return it.tokens === undefined ? withoutEntities(it.text) : inlines(it.tokens)
    default:
      return token.raw
  }
}

const MARK = /^\[\[(\d{1,6})\]\]\(/

function link({ raw, href, tokens, text }: Tokens.Link): ReactNode {
  const mark = MARK.exec(raw)
  if (mark !== null) return <Cite number={Number(mark[1])} />
  const target = safeHref(withoutEntities(href))
  const shown = inlines(tokens)
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
