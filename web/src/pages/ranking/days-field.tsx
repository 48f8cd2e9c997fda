// A half-life as a number and as a slider, whose steps grow with the days.
import { textsOf } from '../../text/texts.ts'
import { NumberField } from './number-field.tsx'

/** The range that the API takes. */
const MIN_DAYS = 1
const MAX_DAYS = 36_500
/** The slider ends at ten years. */
const SLIDER_DAYS = 3_650
const STEPS = 100

interface Props {
  label: string
  isLabelHidden?: boolean
  description?: string
  days: number | null
  isOptional?: boolean
  onChange: (days: number | null) => void
}

export function DaysField({ days, onChange, ...field }: Props) {
  const t = textsOf('admin.ranking.age')
  const isInRow = field.isLabelHidden === true
  return (
    <div className={`ranking-days ${isInRow ? 'ranking-days-in-row' : ''} ${days === null ? 'ranking-days-off' : ''}`}>
      <NumberField {...field} value={days} min={MIN_DAYS} max={MAX_DAYS} step={1} onChange={onChange} />
      <input
        type="range"
        min={0}
        max={STEPS}
        step={1}
        aria-label={t('slider', { label: field.label })}
        aria-valuetext={days === null ? t('off') : t('days', { days })}
        value={positionOf(days ?? SLIDER_DAYS)}
        onChange={(event) => onChange(daysAt(Number(event.currentTarget.value)))}
      />
    </div>
  )
}

const positionOf = (days: number): number => Math.round((STEPS * Math.log(days)) / Math.log(SLIDER_DAYS))
const daysAt = (position: number): number => Math.max(1, Math.round(SLIDER_DAYS ** (position / STEPS)))
