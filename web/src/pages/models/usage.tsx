// The tokens that models read and wrote: by day, by model, and by person and key.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getTokenUsage } from '../../../../src/client/operations.ts'
import type { TokenUsageOfAll } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { CsvLink } from '../../parts/csv/csv-button.tsx'
import { type Period, PeriodChoice } from '../../parts/period-choice.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { timeOfDay } from '../../parts/text.tsx'
import { TokenDays, tokenColumns } from '../../parts/token-days.tsx'
import { textsOf } from '../../text/texts.ts'

const REFRESH_MS = 60_000

export function Usage() {
  const t = textsOf('admin.models.usage')
  const [days, setDays] = useState<Period>(30)
  const usage = useQuery({
    queryKey: ['token-usage', days],
    queryFn: ({ signal }) => getTokenUsage(api, { days, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  return (
    <section className="stack" aria-labelledby="token-usage">
      <div className="models-usage-head">
        <h2 id="token-usage" className="models-heading">
          {t('title')}
        </h2>
        <div className="row">
          <PeriodChoice days={days} onChange={setDays} />
          <CsvLink size="compact-sm" href={`/api/admin/llm/usage/csv?days=${days}`} file="token-usage" />
        </div>
      </div>
      {usage.isError && <ErrorAlert error={usage.error} retry={() => void usage.refetch()} />}
      {usage.isPending && <LoadingSkeleton lines={5} />}
      {usage.data !== undefined && <UsageOfPeriod usage={usage.data} />}
    </section>
  )
}

function UsageOfPeriod({ usage }: { usage: TokenUsageOfAll }) {
  const t = textsOf('admin.models.usage')
  return (
    <>
      <div className="card card-pad stack">
        <p className="small dimmed">
          <Today usage={usage} /> {t.rich('limits', { link: (text) => <AdminLink page="limits">{text}</AdminLink> })}
        </p>
        {usage.by_day.length === 0 ? (
          <EmptyState icon="chat" title={t('empty')}>
            {t('empty_help')}
          </EmptyState>
        ) : (
          <TokenDays from={usage.from} days={usage.by_day} />
        )}
      </div>
      {usage.by_day.length > 0 && (
        <div className="models-usage-tables">
          <section className="card" aria-label={t('by_model')}>
            <div className="section-head">
              <h3 className="models-heading">{t('by_model')}</h3>
            </div>
            <RecordTable
              label={t('by_model')}
              rows={usage.by_model}
              keyOf={(it) => it.model}
              columns={[
                { label: t('model'), className: 'long-text', cell: (it) => <bdi>{it.model}</bdi> },
                ...tokenColumns(),
              ]}
            />
          </section>
          <ByPerson usage={usage} />
        </div>
      )}
    </>
  )
}

function Today({ usage: { used_today: used, daily_token_limit: limit, renewed_at } }: { usage: TokenUsageOfAll }) {
  const t = textsOf('admin.models.usage')
  return limit === null ? t('today', { used }) : t('today_of', { used, limit, time: timeOfDay(renewed_at) })
}

/** More rows are in the CSV file. */
const MAX_ROWS = 50

function ByPerson({ usage: { by_key } }: { usage: TokenUsageOfAll }) {
  const t = textsOf('admin.models.usage')
  return (
    <section className="card" aria-label={t('by_person')}>
      <div className="section-head">
        <h3 className="models-heading">{t('by_person')}</h3>
      </div>
      <RecordTable
        label={t('by_person')}
        rows={by_key.slice(0, MAX_ROWS)}
        keyOf={(it) => it.user_id}
        columns={[
          { label: t('person'), className: 'long-text', cell: (it) => <bdi>{userName(it)}</bdi> },
          ...tokenColumns(),
        ]}
      />
      {by_key.length > MAX_ROWS && <p className="section-note small dimmed">{t('first_rows', { count: MAX_ROWS })}</p>}
    </section>
  )
}

/** The user id of the key that the operator sets. */
const OPERATOR = '00000000-0000-4000-8000-000000000000'

function userName(user: TokenUsageOfAll['by_key'][number]): string {
  const t = textsOf('admin.models.usage')
  const { user_id, user_email: person, api_key_id, api_key_name } = user
  if (user_id === OPERATOR) return t('operator')
  if (api_key_id === null) return person ?? t('deleted')
  const key = api_key_name ?? textsOf('parts')('key_without_name', { id: String(api_key_id) })
  return person === null ? key : t('key_of', { key, person })
}
