// The choice of a number of days.
import { Button } from '@mantine/core'
import { textsOf } from '../text/texts.ts'

const PERIODS = [7, 30, 90] as const
export type Period = (typeof PERIODS)[number]

export function PeriodChoice({ days, onChange }: { days: Period; onChange: (days: Period) => void }) {
  const t = textsOf('parts.period')
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div role="group" aria-label={t('title')} className="row">
      {PERIODS.map((it) => (
        <Button
          key={it}
          size="compact-sm"
          variant={it === days ? 'filled' : 'default'}
          aria-pressed={it === days}
          onClick={() => onChange(it)}
        >
          {t('days', { days: it })}
        </Button>
      ))}
    </div>
  )
}
