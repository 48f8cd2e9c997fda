// The tokens that the person used, and the models that they may choose.
import { useQuery } from '@tanstack/react-query'
import { getOwnTokenUsage, listAvailableModels } from '../../../../src/client/operations.ts'
import type { TokenUsage } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { listText, timeOfDay } from '../../parts/text.tsx'
import { TokenDays, tokenColumns } from '../../parts/token-days.tsx'
import { textsOf } from '../../text/texts.ts'

export function OwnUsage() {
  const t = textsOf('account.usage')
  const usage = useQuery({ queryKey: ['own-token-usage'], queryFn: ({ signal }) => getOwnTokenUsage(api, { signal }) })
  return (
    <section className="card" aria-labelledby="own-usage">
      <div className="section-head">
        <h2 id="own-usage">{t('title')}</h2>
      </div>
      {usage.isPending && <LoadingSkeleton lines={3} />}
      {usage.isError && <ErrorAlert error={usage.error} retry={() => void usage.refetch()} />}
      {usage.data !== undefined && <Usage usage={usage.data} />}
    </section>
  )
}

function Usage({ usage }: { usage: TokenUsage }) {
  const t = textsOf('account.usage')
  const { used_today: used, daily_token_limit: limit, renewed_at, from, by_day, by_model } = usage
  return (
    <>
      <p className="section-note small dimmed">
        {limit === null ? t('today', { used }) : t('today_of', { used, limit, time: timeOfDay(renewed_at) })}{' '}
        <OwnModels />
      </p>
      {by_day.length === 0 ? (
        <p className="section-note small dimmed">{t('empty')}</p>
      ) : (
        <>
          <div className="section-note">
            <TokenDays from={from} days={by_day} />
          </div>
          <RecordTable
            label={t('by_model')}
            rows={by_model}
            keyOf={(it) => it.model}
            columns={[
              { label: t('model'), className: 'long-text', cell: (it) => <bdi>{it.model}</bdi> },
              ...tokenColumns(),
            ]}
          />
        </>
      )}
    </>
  )
}

function OwnModels() {
  const t = textsOf('account.usage')
  const available = useQuery({
    queryKey: ['models', 'own'],
    queryFn: ({ signal }) => listAvailableModels(api, { signal }),
  }).data
  if (available === undefined) return null
  const names = available.providers.flatMap((it) => it.model_configurations).map((it) => it.display_name)
  return <bdi>{names.length === 0 ? t('no_models') : t('models', { models: listText([...new Set(names)]) })}</bdi>
}
