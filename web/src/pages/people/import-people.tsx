import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { importUsersCsv } from '../../../../src/client/operations.ts'
import type { PeopleImport } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { formatCount } from '../../parts/text.tsx'

/** A table of people is checked first, and changes people only if the check found no problem. */
export function ImportPeople({ onClose }: { onClose: () => void }) {
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
    <Dialog title="Import people" onClose={onClose}>
      <div className="stack">
        <p className="dimmed">
          The first line names the columns: email, and any of name, role, groups (separated by ;) and active. A column
          that is absent changes nothing. New people have no password: invite them.
        </p>
        <label className="stack">
          CSV file
          <input
            type="file"
            accept=".csv,text/csv"
            onChange={(event) => choose(event.currentTarget.files?.[0] ?? null)}
          />
        </label>
        {error !== null && <ErrorAlert error={error} />}
        <div role="status">
          {check.isPending && <p>The file is being checked.</p>}
          {apply.data === undefined && check.data !== undefined && <Report report={check.data} />}
          {apply.data !== undefined && <Report report={apply.data} />}
        </div>
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button
            disabled={file === null || !canApply}
            loading={apply.isPending}
            onClick={() => file !== null && apply.mutate(file)}
          >
            Import
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

const Report = ({ report: { applied, created, updated, unchanged, problems } }: { report: PeopleImport }) => (
  <>
    <p>
      {applied ? 'Done: ' : 'An import would change people as follows: '}
      {formatCount(created)} created, {formatCount(updated)} updated, {formatCount(unchanged)} unchanged.
    </p>
    {problems.length > 0 && (
      <>
        <p>Correct these lines, and choose the file again. At most 100 are listed.</p>
        <ul className="people-list long-text">
          {problems.map(({ line, reason }) => (
            <li key={`${line} ${reason}`}>
              Line {line}: <bdi>{reason}</bdi>
            </li>
          ))}
        </ul>
      </>
    )}
  </>
)
