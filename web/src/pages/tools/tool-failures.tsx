// Failed calls of chats, newest first. Each can be replayed.
import { Badge, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ToolFailure } from '../../../../src/client/schemas.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { exactTime, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { failuresQuery } from './tools-queries.ts'

interface Props {
  id: number
  isBusy: boolean
  /** Fills the bench. */
  onShow: (failure: ToolFailure) => void
  onReplay: (failure: ToolFailure) => void
}

export function ToolFailures({ id, isBusy, onShow, onReplay }: Props) {
  const t = textsOf('admin.tools.failures')
  const failures = useQuery(failuresQuery(id))
  const shown = failures.data?.toReversed() ?? []
  return (
    <section className="card" aria-labelledby="failures">
      <div className="section-head">
        <h2 id="failures">{t('title')}</h2>
      </div>
      <p className="section-note dimmed">{t('help')}</p>
      {failures.isError && <ErrorAlert error={failures.error} retry={() => void failures.refetch()} />}
      {failures.isPending && <LoadingSkeleton lines={2} />}
      {failures.data?.length === 0 && <p className="section-note">{t('none')}</p>}
      {shown.length > 0 && (
        <RecordTable
          label={t('title')}
          rows={shown}
          keyOf={(it) => it.id}
          columns={[
            { label: t('when'), className: 'nowrap', cell: (it) => <Time at={it.failed_at} /> },
            { label: t('call'), className: 'long-text', cell: (it) => <Call failure={it} /> },
            { label: t('reason'), className: 'long-text', cell: (it) => <Reason failure={it} /> },
          ]}
          action={(it) => (
            <div className="row-actions">
              <Button
                variant="subtle"
                size="compact-sm"
                aria-label={t('show_of', { operation: it.operation, time: exactTime(it.failed_at) })}
                onClick={() => onShow(it)}
              >
                {t('show')}
              </Button>
              <Button
                variant="subtle"
                size="compact-sm"
                disabled={isBusy}
                aria-label={t('replay_of', { operation: it.operation, time: exactTime(it.failed_at) })}
                onClick={() => onReplay(it)}
              >
                {t('replay')}
              </Button>
            </div>
          )}
        />
      )}
    </section>
  )
}

const Call = ({ failure: { operation, arguments: args } }: { failure: ToolFailure }) => (
  <>
    <code>{operation}</code>
    <div className="small dimmed" dir="auto">
      {JSON.stringify(args)}
    </div>
  </>
)

const Reason = ({ failure: { reason, status_code } }: { failure: ToolFailure }) => (
  <>
    {status_code !== null && (
      <Badge color="red" variant="light" tt="none">
        {status_code}
      </Badge>
    )}{' '}
    <bdi>{reason}</bdi>
  </>
)
