import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { uploadUserFiles } from '../../../../src/client/operations.ts'
import { api, errorMessage } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'

/** Uploads files, into a project if there is one. */
export function UploadButton({ project }: { project: number | null }) {
  const t = textsOf('projects')
  const field = useRef<HTMLInputElement>(null)
  const queryClient = useQueryClient()
  const upload = useMutation({
    mutationFn: (files: readonly File[]) => uploadUserFiles(api, { body: formOf(files, project) }),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: ['files'] }),
        queryClient.invalidateQueries({ queryKey: ['projects'] }),
      ]),
  })
  const rejected = upload.data?.rejected_files ?? []
  return (
    <span className="row">
      <span role="alert" className="small project-fault">
        {upload.isError && errorMessage(upload.error)}
        {rejected.map((it) => t('rejected', { name: it.file_name, reason: it.reason })).join(' ')}
      </span>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        aria-label={t('upload')}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])]
          event.currentTarget.value = ''
          if (files.length > 0) upload.mutate(files)
        }}
      />
      <Button
        size="xs"
        variant="default"
        loading={upload.isPending}
        leftSection={<Icon name="plus" size={15} />}
        onClick={() => field.current?.click()}
      >
        {t('upload')}
      </Button>
    </span>
  )
}

function formOf(files: readonly File[], project: number | null): FormData {
  const form = new FormData()
  if (project !== null) form.append('project_id', String(project))
  for (const it of files) form.append('files', it)
  return form
}
