// Renders the Markdown of an answer as React elements. The text is untrusted: no HTML, no images, links only.
import type { MarkedToken, Token, Tokens } from 'marked'
import { createElement, Fragment, memo, type ReactNode } from 'react'
import { CodeBlock } from '../../parts/copy.tsx'
import { hostOf, safeHref } from '../../parts/safe-link.ts'
import { TableFrame } from '../../parts/table-frame.tsx'
import { textsOf } from '../../text/texts.ts'
import { BoundedLexer } from './bounded-lexer.ts'
import { CitationLink } from './citation-link.tsx'
import { decodeEntities } from './html-entities.ts'
import { Formula } from './math/formula.tsx'
import { isMathToken, mathExtensions } from './math/math-lexer.ts'

/** Longer texts are shown as plain text, because laying out their Markdown would block the page. */
const MAX_TEXT = 100_000
/** The levels above belong to the page. */
const TOP_HEADING = 3
const LAST_HEADING = 6

const OPTIONS = { gfm: true, extensions: mathExtensions }

export const Markdown = memo(({ text }: { text: string }) => {
  if (text.length > MAX_TEXT) return <p className="md-plain">{text}</p>
  return <div className="md">{renderBlocks(new BoundedLexer(OPTIONS).lex(text), { level: TOP_HEADING - 1 })}</div>
})

/** The level of the preceding heading. */
interface HeadingContext {
  level: number
}

const renderBlocks = (tokens: readonly Token[], context: HeadingContext): ReactNode[] =>
  // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end.
  tokens.map((it, at) => <Fragment key={at}>{renderBlock(it, context)}</Fragment>)

/** Besides formulas, the lexer yields only its own tokens; its type allows for generic ones. */
const ownToken = (token: Token) => token as MarkedToken

function renderBlock(token: Token, context: HeadingContext): ReactNode {
  if (isMathToken(token)) return <Formula tex={token.text} isBlock={token.isBlock} />
  const it = ownToken(token)
  switch (it.type) {
    case 'space':
    case 'def':
      return null
    case 'hr':
      return <hr />
    case 'heading':
      return renderHeading(it, context)
    case 'code':
      return <CodeBlock text={it.text} label={codeLabel(it.lang)} />
    case 'blockquote':
      return <blockquote>{renderBlocks(it.tokens, context)}</blockquote>
    case 'list':
      return renderList(it, context)
    case 'table':
      return <Table table={it} />
    case 'html':
      return <p className="md-plain">{it.text.trimEnd()}</p>
    case 'paragraph':
      return <p>{renderInlines(it.tokens)}</p>
    case 'text':
      return it.tokens === undefined ? renderInline(it) : renderInlines(it.tokens)
    default:
      return renderInline(token)
  }
}

function codeLabel(language: string | undefined): string {
  const t = textsOf('chat.answer')
  return language ? t('code_in', { language }) : t('code')
}

/** Never skips a level on the way down, so that screen readers can navigate by headings. */
function renderHeading({ depth, tokens }: Tokens.Heading, context: HeadingContext): ReactNode {
  context.level = Math.min(TOP_HEADING - 1 + depth, context.level + 1, LAST_HEADING)
  return createElement(`h${context.level}`, {}, renderInlines(tokens))
}

function renderList({ ordered, start, items, loose }: Tokens.List, context: HeadingContext): ReactNode {
  const children = items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end.
    <li key={at} className={item.task ? 'md-task' : undefined}>
      {renderBlocks(item.tokens, context)}
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
  <TableFrame label={textsOf('chat.answer')('table')}>
    <table>
      <thead>
        <tr>{header.map((it, at) => renderCell('th', it, at))}</tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end.
          <tr key={at}>{row.map((it, column) => renderCell('td', it, column))}</tr>
        ))}
      </tbody>
    </table>
  </TableFrame>
)

const renderCell = (tag: 'th' | 'td', { tokens, align }: Tokens.TableCell, key: number): ReactNode =>
  createElement(
    tag,
    { key, className: align ? `md-${align}` : undefined, ...(tag === 'th' && { scope: 'col' }) },
    renderInlines(tokens),
  )

const renderInlines = (tokens: readonly Token[]): ReactNode[] =>
  // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end.
  tokens.map((it, at) => <Fragment key={at}>{renderInline(it)}</Fragment>)

const BREAK = /^<br\s*\/?>$/i

function renderInline(token: Token): ReactNode {
  if (isMathToken(token)) return <Formula tex={token.text} isBlock={token.isBlock} />
  const it = ownToken(token)
  switch (it.type) {
    case 'br':
      return <br />
    case 'strong':
      return <strong>{renderInlines(it.tokens)}</strong>
    case 'em':
      return <em>{renderInlines(it.tokens)}</em>
    case 'del':
      return <del>{renderInlines(it.tokens)}</del>
    case 'codespan':
      return <code>{it.text}</code>
    case 'checkbox':
      return it.checked ? '☑ ' : '☐ '
    case 'image':
      return <ImagePlaceholder href={it.href} text={it.text} />
    case 'link':
      return renderLink(it)
    case 'html':
      // Models write line breaks in tables, and they are harmless.
      return BREAK.test(it.text) ? <br /> : it.text
    case 'escape':
      return it.text
    case 'text':
      return it.tokens === undefined ? decodeEntities(it.text) : renderInlines(it.tokens)
    default:
      return token.raw
  }
}

const CITATION_MARK = /^\[\[(\d{1,6})\]\]\(/

function renderLink({ raw, href, tokens, text }: Tokens.Link): ReactNode {
  const mark = CITATION_MARK.exec(raw)
  if (mark !== null) return <CitationLink number={Number(mark[1])} />
  const target = safeHref(decodeEntities(href))
  const shown = renderInlines(tokens)
  if (target === undefined) return shown
  const host = hostOf(target)
  return (
    <>
      <a href={target} target="_blank" rel="noopener noreferrer">
        <bdi>{shown}</bdi>
      </a>
      {/* The link text must not hide the host. */}
      {host !== '' && text !== target && text !== host && <span className="md-host"> ({host})</span>}
    </>
  )
}

/** Images are not loaded: the request would tell their server who reads the answer. */
function ImagePlaceholder({ href, text }: { href: string; text: string }) {
  const t = textsOf('chat.answer')
  const target = safeHref(decodeEntities(href))
  const host = target === undefined ? '' : hostOf(target)
  const note = host === '' ? t('image') : t('image_from', { host })
  return (
    <span className="md-image">
      {text === '' ? note : t.rich('image_named', { note, name: () => <bdi>{decodeEntities(text)}</bdi> })}
    </span>
  )
}
