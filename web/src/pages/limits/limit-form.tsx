// A dialog that creates a limit, or changes the amount of one.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { createLimit, updateLimit } from '../../../../src/client/operations.ts'
import type { UsageLimit, UsageLimitUpdate } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { isKeyOf } from '../../parts/is-key-of.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { SCOPE_LABELS, SCOPE_NOTES, targetText } from './limit-text.ts'
import { useReloadLimits } from './limits-query.ts'
import { findPersonId, TargetField } from './target-field.tsx'

const KINDS = { requests: 'Requests per minute', tokens: 'Tokens of language models' }
/** The greatest amount and period that the API takes. */
const MAX_AMOUNT = 1_000_000_000
const MAX_PERIOD_HOURS = 8_760

interface Values {
  scope: UsageLimit['applies_to']
  /** The id of a group or key, or the address of a person. */
  target: string
  kind: keyof typeof KINDS
  amount: string
  hours: string
}

export function LimitForm({ limit, onClose }: { limit?: UsageLimit; onClose: () => void }) {
  const [values, setValues] = useState<Values>(() => valuesOf(limit))
  const reload = useReloadLimits()
  const save = useMutation({
    mutationFn: () => saveLimit(limit, values),
    onSuccess: async (outcome) => {
      if (outcome === 'unknown person') return
      await reload()
      onClose()
    },
  })
  const set = (change: Partial<Values>) => {
    save.reset()
    setValues((before) => ({ ...before, ...change }))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Dialog title={limit === undefined ? 'New limit' : 'Change the limit'} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {limit === undefined ? (
          <>
            <NativeSelect
              label="Applies to"
              description={SCOPE_NOTES[values.scope]}
              value={values.scope}
              onChange={({ currentTarget: { value } }) =>
                isKeyOf(SCOPE_LABELS, value) && set({ scope: value, target: '' })
              }
              data={Object.entries(SCOPE_LABELS).map(([value, label]) => ({ value, label }))}
            />
            <TargetField
              scope={values.scope}
              value={values.target}
              onChange={(target) => set({ target })}
              error={save.data === 'unknown person' ? 'No person has this address.' : undefined}
            />
          </>
        ) : (
          <p className="limit-target">Applies to: {targetText(limit)}</p>
        )}
        <AmountFields values={values} set={set} />
        {save.isError && <ErrorAlert error={save.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            {limit === undefined ? 'Create limit' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function AmountFields({ values, set }: { values: Values; set: (change: Partial<Values>) => void }) {
  const { kind, amount, hours } = values
  return (
    <>
      <NativeSelect
        label="Counts"
        value={kind}
        onChange={({ currentTarget: { value } }) => isKeyOf(KINDS, value) && set({ kind: value })}
        data={Object.entries(KINDS).map(([value, label]) => ({ value, label }))}
      />
      <WholeNumber
        label={kind === 'requests' ? 'Requests per minute' : 'Thousands of tokens'}
        description={kind === 'requests' ? 'A request beyond them is answered 429.' : 'Input and output together.'}
        value={amount}
        max={MAX_AMOUNT}
        onChange={(it) => set({ amount: it })}
      />
      {kind === 'tokens' && (
        <WholeNumber
          label="Hours"
          description="The hours in which the tokens may be used. The current hour is one of them."
          value={hours}
          max={MAX_PERIOD_HOURS}
          onChange={(it) => set({ hours: it })}
        />
      )}
    </>
  )
}

interface NumberProps {
  label: string
  description: string
  value: string
  max: number
  onChange: (value: string) => void
}

/** The browser checks the range. */
const WholeNumber = ({ onChange, ...rest }: NumberProps) => (
  <TextInput
    {...rest}
    type="number"
    min={1}
    step={1}
    onChange={(event) => onChange(event.currentTarget.value)}
    required
    withAsterisk={false}
  />
)

async function saveLimit(limit: UsageLimit | undefined, values: Values): Promise<UsageLimit | 'unknown person'> {
  const amount = amountOf(values)
  if (limit !== undefined) {
    return updateLimit(api, { limit_id: limit.id, body: { ...amount, enabled: limit.enabled } })
  }
  const { scope, target } = values
  const id = scope === 'person' ? await findPersonId(target) : target
  if (id === undefined) return 'unknown person'
  return createLimit(api, { body: { ...amount, applies_to: scope, target_id: id === '' ? null : id } })
}

const amountOf = ({ kind, amount, hours }: Values): UsageLimitUpdate =>
  kind === 'requests'
    ? { requests_per_minute: Number(amount) }
    : { token_budget: Number(amount), period_hours: Number(hours) }

const valuesOf = (limit: UsageLimit | undefined): Values => ({
  scope: limit?.applies_to ?? 'user',
  target: '',
  kind: (limit?.token_budget ?? null) === null ? 'requests' : 'tokens',
  amount: (limit?.requests_per_minute ?? limit?.token_budget ?? '').toString(),
  hours: (limit?.period_hours ?? 24).toString(),
})
