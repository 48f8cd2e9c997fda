// Exports of the chats of a period: they are started, listed for everybody who may see the history, and downloaded.
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { getQueryHistoryExportStatus, startQueryHistoryExport } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { exactTime, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { exportAddress, exportsQuery, isoOrNull } from './history-query.ts'

export function Exports() {
  const t = textsOf('admin.history.exports')
  const exports = useQuery(exportsQuery)
  return (
    <section className="card" aria-labelledby="history-exports">
      <div className="section-head">
        <h2 id="history-exports">{t('title')}</h2>
      </div>
      <div className="section-note stack">
        <p className="dimmed">{t('help')}</p>
        <StartExport />
        {exports.isPending && <LoadingSkeleton lines={3} />}
        {exports.isError && <ErrorAlert error={exports.error} retry={() => void exports.refetch()} />}
        {exports.data?.length === 0 && <p>{t('none')}</p>}
      </div>
      {exports.data !== undefined && exports.data.length > 0 && (
        <RecordTable
          label={t('title')}
          rows={exports.data}
          keyOf={(it) => it.task_id}
          columns={[
            { label: t('started'), className: 'nowrap', cell: (it) => <Time at={it.start_time} /> },
            { label: t('from'), className: 'nowrap', cell: (it) => <Beginning at={it.start} /> },
            { label: t('until'), className: 'nowrap', cell: (it) => exactTime(it.end) },
          ]}
          action={({ task_id, start_time }) => (
            <Button
              component="a"
              size="compact-sm"
              variant="subtle"
              href={exportAddress(task_id)}
              download="chats.csv"
              aria-label={t('download_of', { time: exactTime(start_time) })}
            >
              {t('download')}
            </Button>
          )}
        />
      )}
    </section>
  )
}

/** An export without a start begins in 1970. */
const Beginning = ({ at }: { at: string }) =>
  Date.parse(at) === 0 ? <span className="dimmed">{textsOf('admin.history.exports')('beginning')}</span> : exactTime(at)

function StartExport() {
  const t = textsOf('admin.history.exports')
  const [from, setFrom] = useState('')
  const [until, setUntil] = useState('')
  const queryClient = useQueryClient()
  const start = useMutation({
    mutationFn: async () => {
      const { request_id } = await startQueryHistoryExport(api, { start: isoOrNull(from), end: isoOrNull(until) })
      return getQueryHistoryExportStatus(api, { request_id })
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: exportsQuery.queryKey }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    start.mutate()
  }
  return (
    <form className="filters history-export" onSubmit={submit}>
      <TextInput
        label={t('from')}
        type="datetime-local"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <TextInput
        label={t('until')}
        type="datetime-local"
        value={until}
        onChange={(event) => setUntil(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" loading={start.isPending}>
          {t('start')}
        </Button>
      </div>
      {start.data?.status === 'SUCCESS' && <p role="status">{t('ready')}</p>}
      {start.isError && <ErrorAlert error={start.error} />}
    </form>
  )
}
