// The tokens of each day as bars, and as a table.
import { textsOf } from '../text/texts.ts'
import { DayBars } from './day-bars.tsx'
import { RecordTable } from './record-table.tsx'
import { exactDate, formatCount } from './text.tsx'

export interface TokenCounts {
  input_tokens: number
  output_tokens: number
  calls: number
}
type TokensOfDay = TokenCounts & { day: string }

/** `from` is the first day of the period, which ends today. Days without tokens are missing in `days`. */
export function TokenDays({ from, days }: { from: string; days: readonly TokensOfDay[] }) {
  const t = textsOf('parts.token_usage')
  return (
    <div>
      <DayBars
        from={from}
        values={new Map(days.map((it) => [it.day, it.input_tokens + it.output_tokens]))}
        title={t('by_day')}
        label={(facts) => t('plot', facts)}
        barLabel={({ day, count }) => t('bar', { day, tokens: count })}
      />
      <details className="day-bars-table">
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
