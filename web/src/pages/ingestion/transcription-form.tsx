// The fields of the server that makes transcripts. A stored key is never shown again.
import { Button, Checkbox, NumberInput, PasswordInput, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteTranscriptionModel, putTranscriptionModel } from '../../../../src/client/operations.ts'
import type { TranscriptionStatus } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

type Model = TranscriptionStatus['model']

interface Values {
  url: string
  model: string
  language: string
  minutes: number | string
  key: string
  removesKey: boolean
}

const MAX_MINUTES = 100_000
const USUAL_MINUTES = 120

const toValues = (model: Model): Values => ({
  url: model?.url ?? '',
  model: model?.model ?? '',
  language: model?.language ?? '',
  minutes: model?.minutes_per_day ?? USUAL_MINUTES,
  key: '',
  removesKey: false,
})

const toRequest = ({ url, model, language, minutes, key, removesKey }: Values) => ({
  url: url.trim(),
  model: model.trim(),
  language: language.trim() === '' ? null : language.trim().toLowerCase(),
  minutes_per_day: Number(minutes),
  ...(key !== '' && { api_key: key }),
  ...(key === '' && removesKey && { api_key: null }),
})

export function TranscriptionForm({ model, onClose }: { model: Model; onClose: () => void }) {
  const t = textsOf('admin.ingestion.transcription')
  const [values, setValues] = useState(() => toValues(model))
  const set = (change: Partial<Values>) => setValues((it) => ({ ...it, ...change }))
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: () => putTranscriptionModel(api, { body: toRequest(values) }),
    onSuccess: (status) => {
      queryClient.setQueryData(['transcription'], status)
      onClose()
    },
  })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <TextInput
        label={t('url')}
        description={t('url_help')}
        type="url"
        value={values.url}
        onChange={(event) => set({ url: event.currentTarget.value })}
        maxLength={2_000}
        required
        withAsterisk={false}
      />
      <TextInput
        label={t('model')}
        value={values.model}
        onChange={(event) => set({ model: event.currentTarget.value })}
        maxLength={200}
        required
        withAsterisk={false}
      />
      <KeyField stored={model?.api_key ?? null} values={values} set={set} />
      <MoreFields values={values} set={set} />
      {save.error !== null && <ErrorAlert error={save.error} />}
      <div className="row">
        <Button type="submit" loading={save.isPending}>
          {t('save')}
        </Button>
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
      </div>
    </form>
  )
}

interface FieldsProps {
  values: Values
  set: (change: Partial<Values>) => void
}

function KeyField({ stored, values, set }: FieldsProps & { stored: string | null }) {
  const t = textsOf('admin.ingestion.transcription')
  return (
    <>
      <PasswordInput
        label={t('key')}
        description={stored === null ? t('key_optional') : t('key_stored', { key: stored })}
        value={values.key}
        onChange={(event) => set({ key: event.currentTarget.value, removesKey: false })}
        maxLength={2_000}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': t('show_key') }}
      />
      {stored !== null && (
        <Checkbox
          label={t('remove_key')}
          checked={values.removesKey}
          disabled={values.key !== ''}
          onChange={(event) => set({ removesKey: event.currentTarget.checked })}
        />
      )}
    </>
  )
}

function MoreFields({ values, set }: FieldsProps) {
  const t = textsOf('admin.ingestion.transcription')
  return (
    <>
      <TextInput
        label={t('language')}
        description={t('language_help')}
        value={values.language}
        onChange={(event) => set({ language: event.currentTarget.value })}
        pattern="[A-Za-z]{2,3}"
        maxLength={3}
      />
      <NumberInput
        label={t('minutes')}
        description={t('minutes_help')}
        value={values.minutes}
        onChange={(minutes) => set({ minutes })}
        min={1}
        max={MAX_MINUTES}
        allowDecimal={false}
        required
        withAsterisk={false}
      />
    </>
  )
}

export function RemoveTranscription({ onClose }: { onClose: () => void }) {
  const t = textsOf('admin.ingestion.transcription')
  const queryClient = useQueryClient()
  const removal = useMutation({
    mutationFn: () => deleteTranscriptionModel(api),
    onSuccess: (status) => {
      queryClient.setQueryData(['transcription'], status)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t('remove_title')}
      action={t('remove')}
      isPending={removal.isPending}
      error={removal.error}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    >
      {t('remove_help')}
    </ConfirmDialog>
  )
}
