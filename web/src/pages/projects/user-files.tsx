// The uploaded files of the person: download, details and deletion.
import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteUserFile, getUserFile } from '../../../../src/client/operations.ts'
import type { UserFileSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { EndButton, RecordTable } from '../../parts/record-table.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { exactTime, listText, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { FileLink } from './file-link.tsx'
import { recentFilesQuery } from './project-queries.ts'
import { UploadButton } from './upload-button.tsx'

export function UserFiles() {
  const t = textsOf('projects')
  const [shown, setShown] = useState<{ what: 'details' | 'delete'; file: UserFileSnapshot } | null>(null)
  const { data, isPending, isError, error, refetch } = useQuery(recentFilesQuery)
  return (
    <section className="card" aria-labelledby="user-files">
      <div className="section-head">
        <h2 id="user-files">{t('own_files')}</h2>
        <UploadButton project={null} />
      </div>
      {isPending && <LoadingSkeleton lines={3} />}
      {isError && <ErrorAlert error={error} retry={() => void refetch()} />}
      {data?.length === 0 && (
        <EmptyState icon="document" title={t('no_files')}>
          {t('no_files_help')}
        </EmptyState>
      )}
      {data !== undefined && data.length > 0 && (
        <FileTable files={data} onShow={(what, file) => setShown({ what, file })} />
      )}
      {shown?.what === 'details' && <FileDetails id={shown.file.id} onClose={() => setShown(null)} />}
      {shown?.what === 'delete' && <DeleteFile file={shown.file} onClose={() => setShown(null)} />}
    </section>
  )
}

interface TableProps {
  files: readonly UserFileSnapshot[]
  onShow: (what: 'details' | 'delete', file: UserFileSnapshot) => void
}

function FileTable({ files, onShow }: TableProps) {
  const t = textsOf('projects')
  return (
    <RecordTable
      label={t('own_files')}
      rows={files}
      keyOf={(it) => it.id}
      columns={[
        { label: t('name'), cell: (it) => <FileLink file={it} /> },
        { label: t('kind'), cell: (it) => t(`kinds.${it.chat_file_type}`) },
        { label: t('uploaded'), cell: (it) => <Time at={it.created_at} /> },
      ]}
      action={(it) => (
        <span className="row file-actions">
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={t('details_of', { name: it.name })}
            onClick={() => onShow('details', it)}
          >
            {t('details')}
          </Button>
          <EndButton
            label={textsOf('parts')('delete')}
            longLabel={t('delete_file', { name: it.name })}
            onClick={() => onShow('delete', it)}
          />
        </span>
      )}
    />
  )
}

function FileDetails({ id, onClose }: { id: string; onClose: () => void }) {
  const t = textsOf('projects')
  const { data, isPending, isError, error, refetch } = useQuery({
    queryKey: ['files', id],
    queryFn: ({ signal }) => getUserFile(api, { file_id: id, signal }),
  })
  return (
    <Dialog title={t('details')} onClose={onClose}>
      {isPending && <LoadingSkeleton lines={4} />}
      {isError && <ErrorAlert error={error} retry={() => void refetch()} />}
      {data !== undefined && (
        <dl className="facts">
          {(
            [
              [t('name'), data.name],
              [t('media_type'), data.file_type],
              [t('uploaded'), exactTime(data.created_at)],
              [t('file_id'), data.file_id],
            ] as const
          ).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="plain long-text" dir="auto">
                {value}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <form method="dialog" className="dialog-buttons">
        <Button type="submit" variant="default">
          {textsOf('parts')('close')}
        </Button>
      </form>
    </Dialog>
  )
}

/** A file of a project is kept; the dialog then names the projects. */
function DeleteFile({ file, onClose }: { file: UserFileSnapshot; onClose: () => void }) {
  const t = textsOf('projects')
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deleteUserFile(api, { file_id: file.id }),
    onSuccess: async ({ has_associations }) => {
      await queryClient.invalidateQueries({ queryKey: ['files'] })
      if (!has_associations) onClose()
    },
  })
  if (remove.data?.has_associations) {
    return (
      <Dialog title={t('kept_title')} onClose={onClose}>
        <p dir="auto">{t('kept_help', { projects: listText(remove.data.project_names) })}</p>
        <form method="dialog" className="dialog-buttons">
          <Button type="submit" variant="default">
            {textsOf('parts')('close')}
          </Button>
        </form>
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title={t('delete_file_title')}
      action={textsOf('parts')('delete')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t.rich('delete_file_help', { name: () => <bdi>{file.name}</bdi> })}
    </ConfirmDialog>
  )
}
