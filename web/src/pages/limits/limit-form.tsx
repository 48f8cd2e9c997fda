// A dialog that creates a limit, or changes the amount of one.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { createLimit, updateLimit } from '../../../../src/client/operations.ts'
import type { UsageLimit, UsageLimitUpdate } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { SCOPES, targetText } from './limit-text.ts'
import { useReloadLimits } from './limits-query.ts'
import { findPersonId, TargetField } from './target-field.tsx'

const KINDS = ['requests', 'tokens'] as const
/** The greatest amount and period that the API takes. */
const MAX_AMOUNT = 1_000_000_000
const MAX_PERIOD_HOURS = 8_760

interface Values {
  scope: UsageLimit['applies_to']
  /** The id of a group or key, or the address of a person. */
  target: string
  kind: (typeof KINDS)[number]
  amount: string
  hours: string
}

export function LimitForm({ limit, onClose }: { limit?: UsageLimit; onClose: () => void }) {
  const t = textsOf('admin.limits.form')
  const [values, setValues] = useState<Values>(() => valuesOf(limit))
  const reload = useReloadLimits()
  const save = useMutation({
    mutationFn: () => saveLimit(limit, values),
    onSuccess: async (outcome) => {
      if (outcome === 'unknown_person') return
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
    <Dialog title={limit === undefined ? textsOf('admin.limits')('new') : t('change')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {limit === undefined ? (
          <>
            <ScopeField value={values.scope} onChange={(scope) => set({ scope, target: '' })} />
            <TargetField
              scope={values.scope}
              value={values.target}
              onChange={(target) => set({ target })}
              error={save.data === 'unknown_person' ? t('unknown_person') : undefined}
            />
          </>
        ) : (
          <p className="limit-target">{t('applies_to_target', { target: targetText(limit) })}</p>
        )}
        <AmountFields values={values} set={set} />
        {save.isError && <ErrorAlert error={save.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {textsOf('parts')('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {limit === undefined ? t('create') : textsOf('parts')('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface ScopeProps {
  value: UsageLimit['applies_to']
  onChange: (scope: UsageLimit['applies_to']) => void
}

function ScopeField({ value: chosen, onChange }: ScopeProps) {
  const t = textsOf('admin.limits')
  return (
    <NativeSelect
      label={t('form.applies_to')}
      description={t(`notes.${chosen}`)}
      value={chosen}
      onChange={({ currentTarget: { value } }) => onChange(SCOPES.find((it) => it === value) ?? chosen)}
      data={SCOPES.map((value) => ({ value, label: t(`scopes.${value}`) }))}
    />
  )
}

function AmountFields({ values, set }: { values: Values; set: (change: Partial<Values>) => void }) {
  const t = textsOf('admin.limits.form')
  const { kind, amount, hours } = values
  return (
    <>
      <NativeSelect
        label={t('counts')}
        value={kind}
        onChange={({ currentTarget: { value } }) => set({ kind: KINDS.find((it) => it === value) ?? kind })}
        data={KINDS.map((value) => ({ value, label: t(`kinds.${value}`) }))}
      />
      <WholeNumber
        label={kind === 'requests' ? t('requests') : t('tokens')}
        description={kind === 'requests' ? t('requests_help') : t('tokens_help')}
        value={amount}
        max={MAX_AMOUNT}
        onChange={(it) => set({ amount: it })}
      />
      {kind === 'tokens' && (
        <WholeNumber
          label={t('hours')}
          description={t('hours_help')}
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

async function saveLimit(limit: UsageLimit | undefined, values: Values): Promise<UsageLimit | 'unknown_person'> {
  const amount = amountOf(values)
  if (limit !== undefined) {
    return updateLimit(api, { limit_id: limit.id, body: { ...amount, enabled: limit.enabled } })
  }
  const { scope, target } = values
  const id = scope === 'person' ? await findPersonId(target) : target
  if (id === undefined) return 'unknown_person'
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
