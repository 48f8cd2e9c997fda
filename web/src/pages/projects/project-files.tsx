// The files of a project: uploaded here, or added from the own files.
import { Button, NativeSelect } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { linkProjectFile, unlinkProjectFile } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { EndButton } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { FileLink } from './file-link.tsx'
import { projectFilesQuery, recentFilesQuery } from './project-queries.ts'
import { UploadButton } from './upload-button.tsx'

export function ProjectFiles({ project }: { project: number }) {
  const t = textsOf('projects')
  const queryClient = useQueryClient()
  const { data, isPending, isError, error, refetch } = useQuery(projectFilesQuery(project))
  const remove = useMutation({
    mutationFn: (file_id: string) => unlinkProjectFile(api, { project_id: project, file_id }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['projects', project, 'files'] }),
  })
  return (
    <section className="card" aria-labelledby="project-files">
      <div className="section-head">
        <h2 id="project-files">{t('files')}</h2>
        <UploadButton project={project} />
      </div>
      <div className="project-body stack">
        <p className="dimmed small">{t('files_help')}</p>
        {isPending && <LoadingSkeleton lines={2} />}
        {isError && <ErrorAlert error={error} retry={() => void refetch()} />}
        {remove.isError && <ErrorAlert error={remove.error} />}
        {data !== undefined && data.length > 0 && (
          <ul className="project-list" aria-labelledby="project-files">
            {data.map((it) => (
              <li key={it.id}>
                <FileLink file={it} />
                <EndButton
                  label={t('remove')}
                  longLabel={t('remove_file', { name: it.name })}
                  isPending={remove.isPending && remove.variables === it.id}
                  onClick={() => remove.mutate(it.id)}
                />
              </li>
            ))}
          </ul>
        )}
        {data !== undefined && <AddOwnFile project={project} present={data.map((it) => it.id)} />}
      </div>
    </section>
  )
}

/** Hidden where every own file is in the project. */
function AddOwnFile({ project, present }: { project: number; present: readonly string[] }) {
  const t = textsOf('projects')
  const queryClient = useQueryClient()
  const [chosen, setChosen] = useState('')
  const files = useQuery(recentFilesQuery).data?.filter((it) => !present.includes(it.id)) ?? []
  const file = files.find((it) => it.id === chosen) ?? files[0]
  const add = useMutation({
    mutationFn: (file_id: string) => linkProjectFile(api, { project_id: project, file_id }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['projects', project, 'files'] }),
  })
  if (file === undefined) return null
  return (
    <>
      <div className="project-add">
        <NativeSelect
          size="xs"
          label={t('own_file')}
          value={file.id}
          onChange={(event) => setChosen(event.currentTarget.value)}
          data={files.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <Button size="xs" variant="default" loading={add.isPending} onClick={() => add.mutate(file.id)}>
          {t('add')}
        </Button>
      </div>
      {add.isError && <ErrorAlert error={add.error} />}
    </>
  )
}
