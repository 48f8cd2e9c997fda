import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { textsOf } from '../../text/texts.ts'
import { PROVIDER_NAMES, PROVIDER_TYPES } from './provider-types.ts'

/** The protocol decides which fields follow. */
export function NewProvider({ onDone }: { onDone: () => void }) {
  const t = textsOf('admin.sign_in')
  const [type, setType] = useState<(typeof PROVIDER_NAMES)[number]>('oidc')
  const { Form } = PROVIDER_TYPES[type]
  return (
    <section className="card card-pad stack" aria-label={t('add')}>
      <h2>{t('new')}</h2>
      <NativeSelect
        className="provider-form"
        label={t('protocol')}
        data={PROVIDER_NAMES.map((value) => ({ value, label: t(`protocols.${value}`) }))}
        value={type}
        onChange={({ currentTarget: { value } }) => setType(PROVIDER_NAMES.find((it) => it === value) ?? type)}
      />
      <Form key={type} onDone={onDone} />
    </section>
  )
}
