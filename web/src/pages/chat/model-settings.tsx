// The model of one chat, and how it answers: for all questions that follow.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import {
  getChatSession,
  listPersonaModels,
  setChatSessionModel,
  setChatSessionReasoning,
  setChatSessionTemperature,
} from '../../../../src/client/operations.ts'
import type { ChatSessionDetailResponse } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

interface Props {
  chat: { id: string; persona: number }
  onClose: () => void
}

const EFFORTS = ['off', 'low', 'medium', 'high'] as const
type Effort = (typeof EFFORTS)[number]

export function ModelSettings({ chat, onClose }: Props) {
  const t = textsOf('chat.model_settings')
  const stored = useQuery({
    queryKey: ['chat-model-settings', chat.id],
    queryFn: ({ signal }) => getChatSession(api, { chat_session_id: chat.id, signal }),
    select: settingsOf,
    gcTime: 0,
  })
  return (
    <Dialog title={t('title')} onClose={onClose}>
      {stored.isError && <ErrorAlert error={stored.error} retry={() => void stored.refetch()} />}
      {stored.isPending && <LoadingSkeleton lines={3} />}
      {stored.data !== undefined && <SettingsForm chat={chat} stored={stored.data} onClose={onClose} />}
    </Dialog>
  )
}

/** Empty texts: the default. */
interface Settings {
  model: string
  temperature: string
  effort: Effort | ''
}

const settingsOf = (it: ChatSessionDetailResponse): Settings => ({
  model: it.current_alternate_model ?? '',
  temperature: it.current_temperature_override?.toString() ?? '',
  effort: EFFORTS.find((effort) => effort === it.current_reasoning_effort_override) ?? '',
})

function SettingsForm({ chat, stored, onClose }: Props & { stored: Settings }) {
  const t = textsOf('chat.model_settings')
  const client = useQueryClient()
  const [values, setValues] = useState(stored)
  const set = (change: Partial<Settings>) => setValues((before) => ({ ...before, ...change }))
  const save = useMutation({
    mutationFn: () => saveChanges(chat.id, stored, values),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['chat-model-settings', chat.id] })
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className="stack" onSubmit={submit}>
      <p className="dimmed">{t('help')}</p>
      <ModelField persona={chat.persona} value={values.model} onChange={(model) => set({ model })} />
      <TextInput
        label={t('temperature')}
        description={t('temperature_help')}
        placeholder={t('usual')}
        type="number"
        min={0}
        max={2}
        step={0.1}
        value={values.temperature}
        onChange={(event) => set({ temperature: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('effort')}
        description={t('effort_help')}
        value={values.effort}
        onChange={({ currentTarget: { value } }) => set({ effort: EFFORTS.find((it) => it === value) ?? '' })}
        data={[{ value: '', label: t('usual') }, ...EFFORTS.map((value) => ({ value, label: t(`efforts.${value}`) }))]}
      />
      {save.isError && <ErrorAlert error={save.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button type="submit" loading={save.isPending}>
          {textsOf('parts')('save')}
        </Button>
      </div>
    </form>
  )
}

/** A model that is no longer open to the person stays in the list; the service ignores it. */
function ModelField({ persona, value, onChange }: { persona: number; value: string; onChange: (it: string) => void }) {
  const t = textsOf('chat.model_settings')
  const models = useQuery({
    queryKey: ['models', persona],
    queryFn: ({ signal }) => listPersonaModels(api, { persona_id: persona, signal }),
  })
  const offered = (models.data?.providers ?? []).flatMap((provider) =>
    provider.model_configurations.map((it) => ({
      value: `${provider.name}__${it.name}`,
      label: t('model_of', { model: it.display_name, provider: provider.name }),
    })),
  )
  const isKnown = value === '' || offered.some((it) => it.value === value)
  return (
    <NativeSelect
      label={t('model')}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[{ value: '', label: t('usual_model') }, ...offered, ...(isKnown ? [] : [{ value, label: value }])]}
    />
  )
}

async function saveChanges(chat_session_id: string, stored: Settings, { model, temperature, effort }: Settings) {
  if (model !== stored.model)
    await setChatSessionModel(api, { body: { chat_session_id, new_alternate_model: model || null } })
  if (temperature !== stored.temperature) {
    const temperature_override = temperature === '' ? null : Number(temperature)
    await setChatSessionTemperature(api, { body: { chat_session_id, temperature_override } })
  }
  if (effort !== stored.effort)
    await setChatSessionReasoning(api, { body: { chat_session_id, reasoning_effort: effort || null } })
}
