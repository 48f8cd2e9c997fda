// The name, the description and the image of an agent.
import { Button, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ChangeEvent, useRef } from 'react'
import { uploadPersonaImage } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { AgentImage } from '../../parts/agent-image.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { type FieldsProps, MAX_NAME } from './agent-values.ts'

export function BasicFields({ values, set }: FieldsProps) {
  const t = textsOf('agents.editor')
  return (
    <section className="card card-pad stack" aria-label={t('basics')}>
      <ImageField values={values} set={set} />
      <TextInput
        label={textsOf('parts')('name')}
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        maxLength={MAX_NAME}
        dir="auto"
        autoComplete="off"
        required
        withAsterisk={false}
      />
      <Textarea
        label={t('fields.description')}
        description={t('description_help')}
        value={values.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
        maxLength={100_000}
        dir="auto"
        minRows={2}
        maxRows={8}
        autosize
      />
    </section>
  )
}

/** Formats that every browser shows. */
const FORMATS = 'image/png,image/jpeg,image/gif,image/webp'

function ImageField({ values, set }: FieldsProps) {
  const t = textsOf('agents.editor')
  const input = useRef<HTMLInputElement>(null)
  const upload = useMutation({
    mutationFn: (file: File) => {
      const body = new FormData()
      body.append('file', file)
      return uploadPersonaImage(api, { body })
    },
    onSuccess: ({ file_id }) => set({ uploaded_image_id: file_id }),
  })
  const onChange = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.currentTarget.files?.[0]
    if (file !== undefined) upload.mutate(file)
    // Without this, choosing the same file again fires no event.
    event.currentTarget.value = ''
  }
  return (
    <div className="stack">
      <div className="row">
        <AgentImage name={values.name} image={values.uploaded_image_id} size="large" />
        <input ref={input} type="file" accept={FORMATS} hidden aria-label={t('image_file')} onChange={onChange} />
        <Button variant="default" size="xs" loading={upload.isPending} onClick={() => input.current?.click()}>
          {t(values.uploaded_image_id === null ? 'choose_image' : 'change_image')}
        </Button>
        {values.uploaded_image_id !== null && (
          <Button variant="subtle" color="gray" size="xs" onClick={() => set({ uploaded_image_id: null })}>
            {t('remove_image')}
          </Button>
        )}
      </div>
      {upload.isError && <ErrorAlert error={upload.error} />}
    </div>
  )
}
