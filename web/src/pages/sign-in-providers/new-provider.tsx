import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { isKeyOf } from '../../parts/is-key-of.ts'
import { PROVIDER_TYPES } from './provider-types.ts'

/** The protocol decides which fields follow. */
export function NewProvider({ onDone }: { onDone: () => void }) {
  const [type, setType] = useState<keyof typeof PROVIDER_TYPES>('oidc')
  const Form = PROVIDER_TYPES[type]?.Form
  return (
    <section className="card card-pad stack" aria-label="Add a provider">
      <h2>New provider</h2>
      <NativeSelect
        className="provider-form"
        label="Protocol"
        data={Object.entries(PROVIDER_TYPES).map(([value, { label }]) => ({ value, label }))}
        value={type}
        onChange={({ currentTarget: { value } }) => {
          if (isKeyOf(PROVIDER_TYPES, value)) setType(value)
        }}
      />
      {Form !== undefined && <Form key={type} onDone={onDone} />}
    </section>
  )
}
