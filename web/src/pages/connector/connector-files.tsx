// The files of a connector that reads uploaded files: add some, remove some.
import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { listConnectorFiles, updateConnectorFiles } from '../../../../src/client/operations.ts'
import type { CCPairFullInfo, ConnectorFilesResponse } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Column, EndButton, RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatBytes, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

type StoredFile = ConnectorFilesResponse['files'][number]

export function ConnectorFiles({ pair }: { pair: CCPairFullInfo }) {
  const t = textsOf('admin.connector.files')
  const [removed, setRemoved] = useState<StoredFile | null>(null)
  const connector_id = pair.connector.id
  const files = useQuery({
    queryKey: ['pair', pair.id, 'files'],
    queryFn: ({ signal }) => listConnectorFiles(api, { connector_id, signal }),
    select: (it) => it.files,
  })
  const change = useChangeFiles(connector_id, () => setRemoved(null))
  const mayChange = pair.is_editable_for_current_user
  return (
    <section className="card" aria-labelledby="files">
      <div className="section-head">
        <h2 id="files">{t('title')}</h2>
        {mayChange && (
          <AddFiles isPending={change.isPending} onChosen={(added) => change.mutate({ added, removed: [] })} />
        )}
      </div>
      {files.isPending && <LoadingSkeleton lines={2} />}
      {files.isError && <ErrorAlert error={files.error} retry={() => void files.refetch()} />}
      {change.isError && removed === null && <ErrorAlert error={change.error} />}
      {change.isSuccess && (
        <p className="section-note small" role="status">
          {t('changed')}
        </p>
      )}
      {files.data !== undefined && (
        <RecordTable
          label={t('title')}
          rows={files.data}
          keyOf={(it) => it.file_id}
          columns={fileColumns()}
          {...(mayChange &&
            files.data.length > 1 && {
              action: (it: StoredFile) => (
                <EndButton
                  label={textsOf('parts')('remove')}
                  longLabel={t('remove_of', { name: it.file_name })}
                  onClick={() => setRemoved(it)}
                />
              ),
            })}
        />
      )}
      {removed !== null && (
        <ConfirmDialog
          title={t('remove_title')}
          action={t('remove_confirm')}
          isPending={change.isPending}
          error={change.error}
          onConfirm={() => change.mutate({ added: [], removed: [removed.file_id] })}
          onClose={() => setRemoved(null)}
        >
          {t.rich('remove_help', { name: () => <bdi>{removed.file_name}</bdi> })}
        </ConfirmDialog>
      )}
    </section>
  )
}

function fileColumns(): Column<StoredFile>[] {
  const t = textsOf('admin.connector.files')
  return [
    { label: t('name'), cell: (it) => <bdi>{it.file_name}</bdi>, className: 'long-text' },
    {
      label: t('size'),
      cell: (it) => <span className="nowrap">{it.file_size === null ? '–' : formatBytes(it.file_size)}</span>,
      className: 'number',
    },
    { label: t('uploaded'), cell: (it) => <Time at={it.upload_date} />, className: 'nowrap' },
  ]
}

interface FileChange {
  added: readonly File[]
  removed: readonly string[]
}

function useChangeFiles(connector_id: number, onDone: () => void) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ added, removed }: FileChange) => {
      const body = new FormData()
      body.append('file_ids_to_remove', JSON.stringify(removed))
      for (const it of added) body.append('files', it)
      return updateConnectorFiles(api, { connector_id, body })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries()
      onDone()
    },
  })
}

function AddFiles({ isPending, onChosen }: { isPending: boolean; onChosen: (files: readonly File[]) => void }) {
  const t = textsOf('admin.connector.files')
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={isPending}
        leftSection={<Icon name="plus" size={15} />}
        onClick={() => input.current?.click()}
      >
        {t('add')}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('add')}
        onChange={({ currentTarget }) => {
          const chosen = [...(currentTarget.files ?? [])]
          if (chosen.length > 0) onChosen(chosen)
          currentTarget.value = ''
        }}
      />
    </>
  )
}
