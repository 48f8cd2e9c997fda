// The receipt of one document, as the program that pushed it reads it.
import { Button, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { getReceipt } from '../../../../src/client/operations.ts'
import type { IngestionReceipt } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api, isNotFound } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { ReceiptState } from './receipt-state.tsx'

/** The longest id that the API takes. */
const MAX_ID = 2_000

export function ReceiptLookup() {
  const t = textsOf('admin.ingestion.lookup')
  const [id, setId] = useState('')
  const lookup = useMutation({ mutationFn: () => getReceipt(api, { document_id: id.trim() }) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (id.trim() !== '') lookup.mutate()
  }
  return (
    <section className="card card-pad stack" aria-labelledby="lookup">
      <h2 id="lookup">{t('title')}</h2>
      <form className="receipt-lookup" onSubmit={submit}>
        <TextInput
          label={t('id')}
          placeholder={t('id_example')}
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
          maxLength={MAX_ID}
          autoComplete="off"
          required
          withAsterisk={false}
        />
        <Button type="submit" loading={lookup.isPending}>
          {t('find')}
        </Button>
      </form>
      {lookup.isError && isNotFound(lookup.error) && (
        <p role="status">{t.rich('not_found', { link: (text) => <AdminLink page="trash">{text}</AdminLink> })}</p>
      )}
      {lookup.isError && !isNotFound(lookup.error) && <ErrorAlert error={lookup.error} />}
      {lookup.data !== undefined && <Found receipt={lookup.data} />}
    </section>
  )
}

function Found({ receipt }: { receipt: IngestionReceipt }) {
  const t = textsOf('admin.ingestion.lookup')
  const { document_id, reason, accepted_at, indexed_at, embedded_at } = receipt
  const times = { accepted: accepted_at, indexed: indexed_at, embedded: embedded_at }
  return (
    <div role="status" className="stack">
      <div className="row">
        <ReceiptState receipt={receipt} />
        <AdminLink page="documents" id={document_id}>
          <bdi>{document_id}</bdi>
        </AdminLink>
      </div>
      {reason !== null && <p className="small receipt-reason">{reason}</p>}
      <dl className="receipt-times small">
        {(['accepted', 'indexed', 'embedded'] as const).map((name) => (
          <div key={name}>
            <dt className="dimmed">{t(name)}</dt>
            <dd>
              <Time at={times[name]} none={t('not_yet')} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
