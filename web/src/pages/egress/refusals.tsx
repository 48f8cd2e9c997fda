// Addresses that the service did not call: who asked for them, why they were refused, and what allows them.
import { Button } from '@mantine/core'
import type { EgressRefusal } from '../../../../src/client/schemas.ts'
import { CsvButton } from '../../parts/csv/csv-button.tsx'
import { type Column, RecordTable } from '../../parts/record-table.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import type { HostToApprove } from './approve-host.tsx'
import { hostText } from './approved-host.ts'
import { useAskerName, useRefusals } from './egress-query.ts'

export function Refusals({ onApprove }: { onApprove: (host: HostToApprove) => void }) {
  const t = textsOf('admin.egress.refusals')
  const refusals = useRefusals()
  const askerName = useAskerName()
  return (
    <section className="card" aria-labelledby="refusals">
      <div className="section-head">
        <h2 id="refusals">{t('title')}</h2>
        {refusals.data !== undefined && refusals.data.length > 0 && (
          <CsvButton size="xs" file="egress-refusals" list={t('title')} records={() => refusals.data.map(recordOf)} />
        )}
      </div>
      {refusals.isPending && <LoadingSkeleton />}
      {refusals.isError && <ErrorAlert error={refusals.error} retry={() => void refusals.refetch()} />}
      {refusals.data?.length === 0 && (
        <EmptyState icon="check" title={t('none')}>
          {t('none_help')}
        </EmptyState>
      )}
      {refusals.data !== undefined && refusals.data.length > 0 && (
        <RecordTable
          label={t('title')}
          rows={refusals.data}
          keyOf={keyOfRefusal}
          columns={refusalColumns(askerName)}
          action={(it) => (
            <WayOut
              refusal={it}
              onApprove={() => onApprove({ ...it, reason: t('suggested_reason', { asker: askerName(it.asker) }) })}
            />
          )}
        />
      )}
    </section>
  )
}

const recordOf = ({ asker, ...it }: EgressRefusal) => ({
  ...{ host: it.host, port: it.port, rule: it.rule, profile: it.profile, asker: asker.kind, asker_id: asker.id },
  ...{ count: it.count, first_time: it.first_time, last_time: it.last_time, is_approvable: it.is_approvable },
})

const keyOfRefusal = ({ host, port, rule, profile, asker }: EgressRefusal) =>
  [host, port, rule, profile, asker.kind, asker.id].join(' ')

function refusalColumns(askerName: (asker: EgressRefusal['asker']) => string): Column<EgressRefusal>[] {
  const t = textsOf('admin.egress.refusals')
  return [
    { label: t('address'), cell: (it) => <bdi className="egress-host">{hostText(it)}</bdi> },
    { label: t('asked_by'), cell: (it) => <bdi>{askerName(it.asker)}</bdi>, className: 'long-text' },
    {
      label: t('why'),
      className: 'long-text',
      cell: ({ rule, profile }) => (
        <>
          {t(`rules.${rule}`)}
          {profile === 'public-only' && <div className="small dimmed">{t('public_only')}</div>}
        </>
      ),
    },
    { label: t('count'), cell: (it) => formatCount(it.count), className: 'number' },
    { label: t('last'), cell: (it) => <Time at={it.last_time} />, className: 'nowrap' },
  ]
}

/** An approval deletes the refusals that it ends. */
function WayOut({ refusal, onApprove }: { refusal: EgressRefusal; onApprove: () => void }) {
  const t = textsOf('admin.egress.refusals')
  if (!refusal.is_approvable) return <span className="small dimmed">{t(`no_way.${refusal.rule}`)}</span>
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={t('allow_of', { host: hostText(refusal) })}
      onClick={onApprove}
    >
      {t('allow')}
    </Button>
  )
}
