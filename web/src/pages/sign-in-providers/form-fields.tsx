// The parts that the forms of all providers have.
import { Button, Checkbox, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

export interface ProviderFormProps {
  /** Absent for a new one. */
  provider?: SignInProviderSnapshot
  onDone: () => void
}

/** The fields that every provider has. */
export interface CommonValues {
  name: string
  slug: string
  /** Confirms that the links of people to their present accounts end. */
  forget_accounts: boolean
}

export const commonValuesOf = (provider: SignInProviderSnapshot | undefined): CommonValues => ({
  ...{ name: provider?.name ?? '', slug: provider?.slug ?? '', forget_accounts: false },
})

export interface FieldsProps<Values> {
  values: Values
  set: (change: Partial<Values>) => void
}

/** The values of a form, and their change. */
export function useFields<Values>(initial: () => Values): FieldsProps<Values> {
  const [values, setValues] = useState(initial)
  return { values, set: (change) => setValues((before) => ({ ...before, ...change })) }
}

interface FrameProps extends ProviderFormProps, FieldsProps<CommonValues> {
  onSave: () => Promise<unknown>
  /** The form cannot be saved while a field has a fault. */
  hasFault?: boolean
  /** The change after which the linked accounts would be others; null if there is none. */
  otherAccounts: 'issuer' | 'entity_id' | 'subject' | 'name_id' | null
  children: ReactNode
}

export function ProviderFormFrame(props: FrameProps) {
  const { provider, onDone, onSave, hasFault = false, otherAccounts, values, set, children } = props
  const t = textsOf('admin.sign_in')
  const parts = textsOf('parts')
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: onSave,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['sign-in-providers'] })
      onDone()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!hasFault) save.mutate()
  }
  return (
    <form className="provider-form stack" onSubmit={submit} aria-label={provider?.name ?? t('new')}>
      <NameFields values={values} set={set} isNew={provider === undefined} />
      {children}
      {otherAccounts !== null && (provider?.linked_people ?? 0) > 0 && (
        <Checkbox
          label={t(`form.forget.${otherAccounts}`)}
          checked={values.forget_accounts}
          onChange={(event) => set({ forget_accounts: event.currentTarget.checked })}
        />
      )}
      {save.isError && <ErrorAlert error={save.error} />}
      <div className="row">
        <Button type="submit" loading={save.isPending} disabled={hasFault}>
          {parts('save')}
        </Button>
        <Button variant="default" onClick={onDone}>
          {parts('cancel')}
        </Button>
      </div>
    </form>
  )
}

function NameFields({ values, set, isNew }: FieldsProps<CommonValues> & { isNew: boolean }) {
  const t = textsOf('admin.sign_in.form')
  return (
    <>
      <TextInput
        label={textsOf('parts')('name')}
        description={t('name_help')}
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        maxLength={100}
        required
      />
      {isNew && (
        <TextInput
          label={t('slug')}
          description={t('slug_help')}
          value={values.slug}
          onChange={(event) => set({ slug: event.currentTarget.value })}
          maxLength={50}
          required
        />
      )}
    </>
  )
}

/** Settings that most providers leave as they are. */
export const MoreSettings = ({ children }: { children: ReactNode }) => (
  <details className="provider-more">
    <summary>{textsOf('admin.sign_in.form')('more')}</summary>
    <div className="stack">{children}</div>
  </details>
)

interface ClockSkewProps extends FieldsProps<{ clock_skew_seconds: string }> {
  /** The service takes them if the field is empty. */
  seconds: number
}

export function ClockSkewField({ values, set, seconds }: ClockSkewProps) {
  const t = textsOf('admin.sign_in.form')
  return (
    <TextInput
      type="number"
      label={t('clock_skew')}
      description={t('clock_skew_help', { seconds })}
      value={values.clock_skew_seconds}
      onChange={(event) => set({ clock_skew_seconds: event.currentTarget.value })}
      min={0}
      max={300}
      step={1}
    />
  )
}

interface PemProps {
  label: string
  description: string
  value: string
  onChange: (pem: string) => void
  maxLength: number
  isRequired?: boolean
}

/** Certificates as text, one after another. */
export const PemField = ({ onChange, isRequired = false, ...rest }: PemProps) => (
  <Textarea
    {...rest}
    onChange={(event) => onChange(event.currentTarget.value)}
    minRows={2}
    maxRows={10}
    autosize
    spellCheck={false}
    required={isRequired}
  />
)

interface VouchesProps extends FieldsProps<{ vouches_for_emails: boolean }> {
  label: string
}

export const VouchesField = ({ values, set, label }: VouchesProps) => (
  <Checkbox
    label={label}
    description={textsOf('admin.sign_in.form')('vouches_help')}
    checked={values.vouches_for_emails}
    onChange={(event) => set({ vouches_for_emails: event.currentTarget.checked })}
  />
)

export interface TextField<Name extends string> {
  name: Name
  label: string
  description?: string
  maxLength: number
  isRequired?: boolean
}

interface TextFieldsProps<Name extends string> {
  fields: readonly TextField<Name>[]
  values: Record<Name, string>
  onChange: (name: Name, text: string) => void
}

export const TextFields = <Name extends string>({ fields, values, onChange }: TextFieldsProps<Name>) =>
  fields.map(({ name, label, description, maxLength, isRequired = false }) => (
    <TextInput
      key={name}
      label={label}
      description={description}
      value={values[name]}
      onChange={(event) => onChange(name, event.currentTarget.value)}
      maxLength={maxLength}
      required={isRequired}
    />
  ))
