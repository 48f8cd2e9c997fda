// The fields of a webhook: its address, its events, and the connectors that it is about.
import { Button, Checkbox, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { WebhookSnapshot } from '../../../../src/client/schemas.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { PairChoice } from './pair-choice.tsx'
import { EVENTS, type WebhookEvent } from './webhook-events.ts'

/** The longest address that the API takes. */
const MAX_URL = 2_000

export type WebhookValues = Pick<WebhookSnapshot, 'url' | 'events' | 'cc_pair_ids'>

interface FormProps {
  initial: WebhookValues
  action: string
  isPending: boolean
  /** Null if there is none. */
  error: unknown
  onSave: (values: WebhookValues) => void
  onCancel: () => void
}

export function WebhookForm({ initial, action, isPending, error, onSave, onCancel }: FormProps) {
  const t = textsOf('admin.webhooks.form')
  const [values, setValues] = useState(initial)
  const set = (change: Partial<WebhookValues>) => setValues((before) => ({ ...before, ...change }))
  const isWhole = values.events.length > 0 && values.cc_pair_ids?.length !== 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isWhole) onSave({ ...values, url: values.url.trim() })
  }
  return (
    <form className="stack" onSubmit={submit}>
      <TextInput
        label={t('url')}
        description={t('url_help')}
        type="url"
        value={values.url}
        onChange={(event) => set({ url: event.currentTarget.value })}
        maxLength={MAX_URL}
        required
        withAsterisk={false}
      />
      <EventChoice chosen={values.events} onChange={(events) => set({ events })} />
      <PairChoice chosen={values.cc_pair_ids} onChange={(cc_pair_ids) => set({ cc_pair_ids })} />
      {error !== null && <ErrorAlert error={error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onCancel}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button type="submit" loading={isPending} disabled={!isWhole}>
          {action}
        </Button>
      </div>
    </form>
  )
}

interface EventChoiceProps {
  chosen: readonly WebhookEvent[]
  onChange: (chosen: WebhookEvent[]) => void
}

function EventChoice({ chosen, onChange }: EventChoiceProps) {
  const t = textsOf('admin.webhooks')
  const toggle = (event: WebhookEvent) =>
    onChange(EVENTS.filter((it) => (it === event ? !chosen.includes(it) : chosen.includes(it))))
  return (
    <fieldset className="webhook-choices">
      <legend>{t('form.events')}</legend>
      {EVENTS.map((it) => (
        <Checkbox
          key={it}
          label={t(`events.${it}.title`)}
          description={t(`events.${it}.help`)}
          checked={chosen.includes(it)}
          onChange={() => toggle(it)}
        />
      ))}
      {chosen.length === 0 && <p className="small dimmed">{t('form.no_events')}</p>}
    </fieldset>
  )
}
