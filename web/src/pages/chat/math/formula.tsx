// A formula as MathML, which browsers draw and read aloud. One that is not understood is shown as it was written.
import { createElement, type ReactNode } from 'react'
import { type MathNode, parseTex } from './parse-tex.ts'
import './formula.css'

export function Formula({ tex, isBlock }: { tex: string; isBlock: boolean }) {
  const formula = parseTex(tex)
  if (formula === null) return isBlock ? <pre className="formula-raw">{tex}</pre> : <code>{tex}</code>
  const display = isBlock ? 'block' : 'inline'
  const math = createElement('math', { display, className: 'formula' }, render(formula))
  if (!isBlock) return math
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by the keyboard.
    <span className="formula-block" tabIndex={0}>
      {math}
    </span>
  )
}

function render(node: MathNode): ReactNode {
  switch (node.kind) {
    case 'row':
      return createElement('mrow', {}, ...node.children.map(render))
    case 'letter':
      return createElement('mi', {}, node.text)
    case 'number':
      return createElement('mn', {}, node.text)
    case 'operator':
      return createElement('mo', {}, node.text)
    case 'function':
      return createElement('mi', { mathvariant: 'normal' }, node.text)
    case 'text':
      return createElement('mtext', {}, node.text)
    case 'space':
      return createElement('mspace', { width: `${node.em}em` })
    case 'fraction':
      return renderFraction(node)
    case 'root':
      return node.degree === null
        ? createElement('msqrt', {}, render(node.radicand))
        : createElement('mroot', {}, render(node.radicand), render(node.degree))
    case 'accent':
      return createElement('mover', { accent: 'true' }, render(node.base), createElement('mo', {}, node.accent))
    case 'scripts':
      return renderScripts(node)
    case 'table':
      return renderTable(node)
  }
}

function renderFraction({ top, bottom, isBinomial }: MathNode & { kind: 'fraction' }): ReactNode {
  const parts = [render(top), render(bottom)]
  if (!isBinomial) return createElement('mfrac', {}, ...parts)
  return createElement('mrow', {}, fence('('), createElement('mfrac', { linethickness: '0' }, ...parts), fence(')'))
}

/** The limits of sums and the like are above and below them where there is room. */
const WITH_LIMITS = new Set(['∑', '∏', '⋃', '⋂', 'lim', 'max', 'min', 'sup', 'inf', 'limsup', 'liminf'])

function renderScripts({ base, sub, sup }: MathNode & { kind: 'scripts' }): ReactNode {
  const hasLimits = (base.kind === 'operator' || base.kind === 'function') && WITH_LIMITS.has(base.text)
  const parts = [base, sub, sup].filter((it) => it !== null).map(render)
  const [both, under, over] = hasLimits ? ['munderover', 'munder', 'mover'] : ['msubsup', 'msub', 'msup']
  const tag = sub !== null && sup !== null ? both : sub !== null ? under : over
  return createElement(tag ?? 'mrow', {}, ...parts)
}

const renderTable = ({ open, close, rows }: MathNode & { kind: 'table' }): ReactNode =>
  createElement(
    'mrow',
    {},
    open !== '' && fence(open),
    createElement(
      'mtable',
      {},
      ...rows.map((row) => createElement('mtr', {}, ...row.map((cell) => createElement('mtd', {}, render(cell))))),
    ),
    close !== '' && fence(close),
  )

const fence = (text: string): ReactNode => createElement('mo', { fence: 'true', stretchy: 'true' }, text)
