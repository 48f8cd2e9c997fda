// How much popularity and freshness count. They are on by default where they help.
import { useId } from 'react'
import { textsOf } from '../../text/texts.ts'
import { WEIGHTS } from './draft.ts'
import { NumberField } from './number-field.tsx'
import type { Ranking } from './ranking-query.ts'

export function Weights({ ranking }: { ranking: Ranking }) {
  const t = textsOf('admin.ranking.weights')
  const id = useId()
  return (
    <section className="card card-pad stack" aria-labelledby={id}>
      <h2 id={id}>{t('title')}</h2>
      <p className="small dimmed">{t('help')}</p>
      {WEIGHTS.map((weight) => (
        <NumberField
          key={weight}
          label={t(weight)}
          description={t(`${weight}_help`)}
          value={ranking.values?.[weight] ?? 0}
          min={0}
          max={1}
          step={0.05}
          onChange={(value) => value !== null && ranking.change({ [weight]: value })}
        />
      ))}
    </section>
  )
}
