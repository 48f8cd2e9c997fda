// The tokens of each day as bars, and as a table.
import { textsOf } from '../text/texts.ts'
import { RecordTable } from './record-table.tsx'
import { exactDate, formatCount } from './text.tsx'
import './token-days.css'

export interface TokenCounts {
  input_tokens: number
  output_tokens: number
  calls: number
}
type TokensOfDay = TokenCounts & { day: string }

const DAY_MS = 86_400_000
const HEIGHT = 100
/** In units of the drawing, which is stretched to the width of the card. */
const BAR = 8
const GAP = 2

/** `from` is the first day of the period, which ends today. Days without tokens are missing in `days`. */
export function TokenDays({ from, days }: { from: string; days: readonly TokensOfDay[] }) {
  const t = textsOf('parts.token_usage')
  const all = allDays(from, days)
  const highest = all.reduce((most, it) => (tokensOf(it) > tokensOf(most) ? it : most))
  const total = all.reduce((sum, it) => sum + tokensOf(it), 0)
  return (
    <div className="token-days">
      <p className="token-days-top small dimmed">
        <span>{t('by_day')}</span>
        <span>{formatCount(tokensOf(highest))}</span>
      </p>
      <svg
        className="token-days-plot"
        viewBox={`0 0 ${all.length * (BAR + GAP)} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('plot', { total, highest: tokensOf(highest), day: exactDate(highest.day) })}
      >
        {all.map((it, at) => (
          <Bar key={it.day} tokens={it} at={at} most={tokensOf(highest)} />
        ))}
      </svg>
      <p className="token-days-axis small dimmed">
        <span>{exactDate(from)}</span>
        <span>{exactDate(all.at(-1)?.day ?? from)}</span>
      </p>
      <details>
        <summary className="small">{t('table')}</summary>
        <RecordTable
          label={t('by_day')}
          rows={days.toReversed()}
          keyOf={(it) => it.day}
          columns={[{ label: t('day'), className: 'nowrap', cell: (it) => exactDate(it.day) }, ...tokenColumns()]}
        />
      </details>
    </div>
  )
}

const tokensOf = ({ input_tokens, output_tokens }: TokenCounts): number => input_tokens + output_tokens

function Bar({ tokens, at, most }: { tokens: TokensOfDay; at: number; most: number }) {
  const t = textsOf('parts.token_usage')
  const height = most === 0 ? 0 : (tokensOf(tokens) / most) * HEIGHT
  return (
    <rect x={at * (BAR + GAP)} y={HEIGHT - height} width={BAR} height={height}>
      <title>{t('bar', { day: exactDate(tokens.day), tokens: tokensOf(tokens) })}</title>
    </rect>
  )
}

function allDays(from: string, days: readonly TokensOfDay[]): TokensOfDay[] {
  const known = new Map(days.map((it) => [it.day, it]))
  const first = Date.parse(from)
  const count = Math.max(1, Math.floor((Date.now() - first) / DAY_MS) + 1)
  return Array.from({ length: count }, (_, at) => {
    const day = new Date(first + at * DAY_MS).toISOString().slice(0, 10)
    return known.get(day) ?? { day, input_tokens: 0, output_tokens: 0, calls: 0 }
  })
}

/** The columns that every table of tokens ends with. */
export function tokenColumns() {
  const t = textsOf('parts.token_usage')
  const number = (label: string, pick: (it: TokenCounts) => number) => ({
    ...{ label, className: 'number' },
    cell: (it: TokenCounts) => formatCount(pick(it)),
  })
  return [
    number(t('read'), (it) => it.input_tokens),
    number(t('written'), (it) => it.output_tokens),
    number(t('calls'), (it) => it.calls),
  ]
}
