// Ranks earlier queries with the current and with other settings. Nothing is switched.
import { Button, NativeSelect, Radio, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { replayQueries } from '../../../../src/client/operations.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { DaysField } from '../ranking/days-field.tsx'
import { DifferenceList } from '../ranking/difference-list.tsx'
import { NO_RANKING, type RankingValues } from '../ranking/draft.ts'
import { changeCount, useRanking } from '../ranking/ranking-query.ts'
import { ReplayReport } from './replay-report.tsx'

const TRIALS = ['unsaved', 'half_life', 'off'] as const
type Trial = (typeof TRIALS)[number]
const COUNTS = [50, 200, 1_000] as const
const DEFAULT_COUNT = 200
const DEFAULT_DAYS = 180
/** The limits of the API. */
const MAX_QUERY = 2_048
const MAX_QUERIES = 1_000

interface Values {
  trial: Trial
  days: number
  count: number
  as: 'people' | 'me'
  /** One query per line. */
  queries: string
}

export function Replay() {
  const t = textsOf('admin.relevance.replay')
  const ranking = useRanking()
  const hasDraft = changeCount(ranking.difference) > 0
  const [values, setValues] = useState<Values>({
    ...{ trial: hasDraft ? 'unsaved' : 'half_life', days: DEFAULT_DAYS, count: DEFAULT_COUNT, as: 'people' },
    queries: '',
  })
  const trial = values.trial === 'unsaved' && !hasDraft ? 'half_life' : values.trial
  const replay = useMutation({
    mutationFn: () =>
      replayQueries(api, {
        body: {
          settings: settingsOf(trial, values.days, ranking.values),
          queries: linesOf(values.queries),
          last: values.count,
          as: values.as,
        },
      }),
  })
  const set = (change: Partial<Values>) => setValues((before) => ({ ...before, ...change }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    replay.mutate()
  }
  return (
    <section className="card card-pad stack" aria-labelledby="replay">
      <h2 id="replay">{t('title')}</h2>
      <p className="dimmed">{t('help')}</p>
      <form className="stack" onSubmit={submit}>
        <TrialChoice trial={trial} hasDraft={hasDraft} onChange={(it) => set({ trial: it })} />
        {trial === 'unsaved' && <DifferenceList difference={ranking.difference} names={ranking.names} />}
        {trial === 'half_life' && (
          <DaysField label={t('days')} days={values.days} onChange={(days) => days !== null && set({ days })} />
        )}
        <QueryFields values={values} set={set} />
        <div className="row">
          <Button type="submit" loading={replay.isPending}>
            {t('start')}
          </Button>
          {replay.isPending && <span role="status">{t('running')}</span>}
        </div>
      </form>
      {replay.isError && <ErrorAlert error={replay.error} />}
      {replay.isPending && <LoadingSkeleton lines={6} />}
      {replay.data !== undefined && <ReplayReport report={replay.data} />}
    </section>
  )
}

function settingsOf(trial: Trial, days: number, draft: RankingValues | undefined): Partial<RankingValues> {
  if (trial === 'half_life') return { half_life_days: days }
  return trial === 'off' ? NO_RANKING : (draft ?? {})
}

const linesOf = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map((it) => it.trim())
      .filter((it) => it !== ''),
  ),
]

interface TrialProps {
  trial: Trial
  hasDraft: boolean
  onChange: (trial: Trial) => void
}

function TrialChoice({ trial: chosen, hasDraft, onChange }: TrialProps) {
  const t = textsOf('admin.relevance.replay')
  return (
    <Radio.Group
      label={t('try')}
      description={t.rich('try_help', { link: (text) => <AdminLink page="ranking">{text}</AdminLink> })}
      value={chosen}
      onChange={(value) => onChange(TRIALS.find((it) => it === value) ?? chosen)}
    >
      <div className="relevance-trials">
        {TRIALS.map((it) => (
          <Radio
            key={it}
            value={it}
            disabled={it === 'unsaved' && !hasDraft}
            label={it === 'unsaved' && !hasDraft ? t('no_unsaved') : t(`trials.${it}`)}
          />
        ))}
      </div>
    </Radio.Group>
  )
}

function QueryFields({ values, set }: { values: Values; set: (change: Partial<Values>) => void }) {
  const t = textsOf('admin.relevance.replay')
  const { count, as, queries } = values
  const lines = linesOf(queries)
  const isTooMuch = lines.length > MAX_QUERIES || lines.some((it) => it.length > MAX_QUERY)
  return (
    <>
      <div className="filters">
        <NativeSelect
          label={t('count')}
          description={t('count_help')}
          value={count}
          onChange={(event) => set({ count: Number(event.currentTarget.value) })}
          data={[
            ...COUNTS.map((it) => ({ value: String(it), label: formatCount(it) })),
            { value: '0', label: t('only_own') },
          ]}
        />
        <NativeSelect
          label={t('as')}
          description={t(`as_help.${as}`)}
          value={as}
          onChange={({ currentTarget: { value } }) => set({ as: value === 'me' ? 'me' : 'people' })}
          data={[
            { value: 'people', label: t('as_people') },
            { value: 'me', label: t('as_me') },
          ]}
        />
      </div>
      <Textarea
        label={t('queries')}
        description={t('queries_help')}
        rows={2}
        dir="auto"
        value={queries}
        onChange={(event) => set({ queries: event.currentTarget.value })}
        maxLength={100_000}
        error={isTooMuch && t('too_many', { count: MAX_QUERIES })}
      />
    </>
  )
}
