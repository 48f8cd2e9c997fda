// Files from the person's machine, chosen or dropped. They are uploaded at once.
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { uploadConnectorFiles } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

export interface UploadedFile {
  id: string
  name: string
}

interface UploadProps {
  files: readonly UploadedFile[]
  onChange: (files: readonly UploadedFile[]) => void
}

export function UploadFiles({ files, onChange }: UploadProps) {
  const t = textsOf('admin.add_connector')
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const upload = useMutation({
    mutationFn: sendFiles,
    onSuccess: (added) => onChange([...files, ...added]),
  })
  const send = (chosen: FileList | null) => {
    if (chosen !== null && chosen.length > 0) upload.mutate([...chosen])
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same by keyboard. */}
      <div
        className="drop-zone"
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          send(event.dataTransfer.files)
        }}
      >
        <p>{t('drop_files')}</p>
        <Button
          variant="default"
          loading={upload.isPending}
          leftSection={<Icon name="plus" size={16} />}
          onClick={() => input.current?.click()}
        >
          {t('choose_files')}
        </Button>
        <p className="small dimmed">{t('file_kinds')}</p>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label={t('choose_files')}
          onChange={(event) => {
            send(event.currentTarget.files)
            event.currentTarget.value = ''
          }}
        />
      </div>
      {upload.isError && <ErrorAlert error={upload.error} />}
      <FileList files={files} onRemove={(id) => onChange(files.filter((it) => it.id !== id))} />
    </>
  )
}

async function sendFiles(chosen: readonly File[]): Promise<UploadedFile[]> {
  const body = new FormData()
  for (const it of chosen) body.append('files', it)
  const { file_paths, file_names } = await uploadConnectorFiles(api, { body })
  return file_paths.map((id, at) => ({ id, name: file_names[at] ?? id }))
}

function FileList({ files, onRemove }: { files: readonly UploadedFile[]; onRemove: (id: string) => void }) {
  const t = textsOf('admin.add_connector')
  if (files.length === 0) return null
  return (
    <ul className="file-list" aria-label={t('uploaded_files')}>
      {files.map(({ id, name }) => (
        <li key={id}>
          <span dir="auto">{name}</span>
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={t('remove_file', { name })}
            onClick={() => onRemove(id)}
          >
            {t('remove')}
          </Button>
        </li>
      ))}
    </ul>
  )
}
