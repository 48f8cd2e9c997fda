// The parts that the forms of all providers have.
import { Button, Checkbox, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { ErrorAlert } from '../../parts/states.tsx'

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
  /** The change after which the linked accounts would be others, such as "Another issuer"; null if there is none. */
  otherAccounts: string | null
  children: ReactNode
}

export function ProviderFormFrame(props: FrameProps) {
  const { provider, onDone, onSave, hasFault = false, otherAccounts, values, set, children } = props
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
    <form className="provider-form stack" onSubmit={submit} aria-label={provider?.name ?? 'New provider'}>
      <NameFields values={values} set={set} isNew={provider === undefined} />
      {children}
      {otherAccounts !== null && (provider?.linked_people ?? 0) > 0 && (
        <Checkbox
          label={`${otherAccounts}: forget the links of people and end their sessions`}
          checked={values.forget_accounts}
          onChange={(event) => set({ forget_accounts: event.currentTarget.checked })}
        />
      )}
      {save.isError && <ErrorAlert error={save.error} />}
      <div className="row">
        <Button type="submit" loading={save.isPending} disabled={hasFault}>
          Save
        </Button>
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

const NameFields = ({ values, set, isNew }: FieldsProps<CommonValues> & { isNew: boolean }) => (
  <>
    <TextInput
      label="Name"
      description="The text of the button."
      value={values.name}
      onChange={(event) => set({ name: event.currentTarget.value })}
      maxLength={100}
      required
    />
    {isNew && (
      <TextInput
        label="Short name"
        description="Lower-case letters, digits and hyphens. It never changes."
        value={values.slug}
        onChange={(event) => set({ slug: event.currentTarget.value })}
        maxLength={50}
        required
      />
    )}
  </>
)

/** Settings that most providers leave as they are. */
export const MoreSettings = ({ children }: { children: ReactNode }) => (
  <details className="provider-more">
    <summary>More settings</summary>
    <div className="stack">{children}</div>
  </details>
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
