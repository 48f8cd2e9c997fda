// How many pictures a day get a caption, and the question before all captions are deleted.
import { Button, NumberInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteCaptions, putCaptionSettings } from '../../../../src/client/operations.ts'
import type { CaptionStatus } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

const MAX_PICTURES = 100_000

export function CaptionsForm({ status, onClose }: { status: CaptionStatus; onClose: () => void }) {
  const t = textsOf('admin.ingestion.captions')
  const [pictures, setPictures] = useState<number | string>(status.pictures_per_day)
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: () => putCaptionSettings(api, { body: { is_on: true, pictures_per_day: Number(pictures) } }),
    onSuccess: (it) => {
      queryClient.setQueryData(['captions'], it)
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
      <NumberInput
        label={t('pictures')}
        description={t('pictures_help')}
        value={pictures}
        onChange={setPictures}
        min={1}
        max={MAX_PICTURES}
        allowDecimal={false}
        required
        withAsterisk={false}
      />
      {save.error !== null && <ErrorAlert error={save.error} />}
      <div className="row">
        <Button type="submit" loading={save.isPending}>
          {t(status.is_on ? 'save' : 'switch_on')}
        </Button>
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
      </div>
    </form>
  )
}

export function RemoveCaptions({ onClose }: { onClose: () => void }) {
  const t = textsOf('admin.ingestion.captions')
  const queryClient = useQueryClient()
  const removal = useMutation({
    mutationFn: () => deleteCaptions(api),
    onSuccess: (status) => {
      queryClient.setQueryData(['captions'], status)
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
