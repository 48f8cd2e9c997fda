import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { importUsersCsv } from '../../../../src/client/operations.ts'
import type { PeopleImport } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

/** A table of people is checked first, and changes people only if the check found no problem. */
export function ImportPeople({ onClose }: { onClose: () => void }) {
  const t = textsOf('admin.people.importing')
  const [file, setFile] = useState<File | null>(null)
  const queryClient = useQueryClient()
  const check = useMutation({ mutationFn: (it: File) => importUsersCsv(api, { body: formOf(it, true) }) })
  const apply = useMutation({
    mutationFn: (it: File) => importUsersCsv(api, { body: formOf(it, false) }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['people'] }),
  })
  const choose = (chosen: File | null) => {
    setFile(chosen)
    check.reset()
    apply.reset()
    if (chosen !== null) check.mutate(chosen)
  }
  const error = apply.error ?? check.error
  const canApply = check.data?.problems.length === 0 && apply.data === undefined
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <div className="stack">
        <p className="dimmed">{t('help')}</p>
        <label className="stack">
          {t('file')}
          <input
            type="file"
            accept=".csv,text/csv"
            onChange={(event) => choose(event.currentTarget.files?.[0] ?? null)}
          />
        </label>
        {error !== null && <ErrorAlert error={error} />}
        <div role="status">
          {check.isPending && <p>{t('checking')}</p>}
          {apply.data === undefined && check.data !== undefined && <Report report={check.data} />}
          {apply.data !== undefined && <Report report={apply.data} />}
        </div>
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {textsOf('parts')('close')}
          </Button>
          <Button
            disabled={file === null || !canApply}
            loading={apply.isPending}
            onClick={() => file !== null && apply.mutate(file)}
          >
            {t('import')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function formOf(file: File, isDryRun: boolean): FormData {
  const form = new FormData()
  form.set('dry_run', String(isDryRun))
  form.set('file', file)
  return form
}

function Report({ report: { applied, created, updated, unchanged, problems } }: { report: PeopleImport }) {
  const t = textsOf('admin.people.importing')
  return (
    <>
      <p>{t(applied ? 'done' : 'would', { created, updated, unchanged })}</p>
      {problems.length > 0 && (
        <>
          <p>{t('correct')}</p>
          <ul className="people-list long-text">
            {problems.map(({ line, reason }) => (
              <li key={`${line} ${reason}`}>{t.rich('problem', { line, reason: () => <bdi>{reason}</bdi> })}</li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}
