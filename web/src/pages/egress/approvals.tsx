// Hosts that administrators have allowed, with the reason of each.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteEgressApproval } from '../../../../src/client/operations.ts'
import type { EgressApproval } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { CsvButton } from '../../parts/csv/csv-button.tsx'
import { type Column, EndButton, RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { hostText } from './approved-host.ts'
import { useApprovals, useReloadEgress } from './egress-query.ts'

export function Approvals() {
  const t = textsOf('admin.egress.approvals')
  const approvals = useApprovals()
  const [asked, setAsked] = useState<EgressApproval | null>(null)
  return (
    <section className="card" aria-labelledby="approvals">
      <div className="section-head">
        <h2 id="approvals">{t('title')}</h2>
        {approvals.data !== undefined && approvals.data.length > 0 && (
          <CsvButton size="xs" file="egress-approvals" list={t('title')} records={() => approvals.data.map(recordOf)} />
        )}
      </div>
      {approvals.isPending && <LoadingSkeleton lines={2} />}
      {approvals.isError && <ErrorAlert error={approvals.error} retry={() => void approvals.refetch()} />}
      {approvals.data?.length === 0 && <p className="section-note dimmed">{t('none')}</p>}
      {approvals.data !== undefined && approvals.data.length > 0 && (
        <RecordTable
          label={t('title')}
          rows={approvals.data}
          keyOf={(it) => it.id}
          columns={approvalColumns()}
          action={(it) => (
            <EndButton
              label={textsOf('parts')('delete')}
              longLabel={t('delete_of', { host: hostText(it) })}
              onClick={() => setAsked(it)}
            />
          )}
        />
      )}
      {asked !== null && <DeleteApproval approval={asked} onClose={() => setAsked(null)} />}
    </section>
  )
}

const recordOf = ({ id, host, port, reason, user_email, time_created }: EgressApproval) => ({
  ...{ id, host, port, reason, user_email, time_created },
})

function approvalColumns(): Column<EgressApproval>[] {
  const t = textsOf('admin.egress.approvals')
  return [
    { label: t('host'), cell: (it) => <bdi className="egress-host">{it.host}</bdi> },
    { label: t('port'), cell: (it) => it.port ?? t('web_ports'), className: 'nowrap' },
    { label: t('reason'), cell: (it) => <span dir="auto">{it.reason}</span>, className: 'long-text' },
    { label: t('approved_by'), cell: (it) => <bdi>{it.user_email ?? t('by_key')}</bdi>, className: 'long-text' },
    { label: t('time'), cell: (it) => <Time at={it.time_created} />, className: 'nowrap' },
  ]
}

function DeleteApproval({ approval, onClose }: { approval: EgressApproval; onClose: () => void }) {
  const t = textsOf('admin.egress.approvals')
  const reload = useReloadEgress()
  const remove = useMutation({
    mutationFn: () => deleteEgressApproval(api, { approval_id: approval.id }),
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t('delete_title')}
      action={t('delete_confirm')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t.rich('delete_help', { host: () => <bdi>{hostText(approval)}</bdi> })}
    </ConfirmDialog>
  )
}
