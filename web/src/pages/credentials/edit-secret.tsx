// A new secret for a credential: fields that stay empty keep their value.
import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../../../src/client/api.ts'
import { updateCredential } from '../../../../src/client/operations.ts'
import type { CredentialSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { errorsAtFields, readFields, toObject, type Values } from '../../parts/schema-form/fields.ts'
import { SchemaForm } from '../../parts/schema-form/schema-form.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { credentialLabel } from '../add-connector/credential-choice.tsx'
import { fieldTexts } from '../add-connector/kind-texts.ts'
import { useConnectorSources } from './credentials-queries.ts'
import { useSave } from './use-save.ts'

export function EditSecret({ credential, onClose }: { credential: CredentialSnapshot; onClose: () => void }) {
  const t = textsOf('admin.credentials')
  const sources = useConnectorSources()
  const kind = sources.data?.find((it) => [it.source, ...it.aliases].includes(credential.source))
  // Stored values stay where a field is left empty, so none is required.
  const fields = readFields(kind?.credential_schema ?? {}).map((it) => ({ ...it, isRequired: false }))
  const [name, setName] = useState(credentialLabel(credential))
  const [values, setValues] = useState<Values>({})
  const save = useSave(() => {
    const credential_json = toObject(fields, values)
    const body = { name, credential_json, expected_time_updated: credential.time_updated }
    return updateCredential(api, { credential_id: credential.id, body })
  }, onClose)
  const { error } = save
  const fieldErrors = error instanceof ApiError ? error.fieldErrors : []
  const { atFields, others } = errorsAtFields(fieldErrors, 'credential_json', fields)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Dialog title={t('change_secret_of', { name: credentialLabel(credential) })} onClose={onClose}>
      <form className="schema-form" onSubmit={submit}>
        <p className="small dimmed">{fields.length === 0 ? t('unknown_fields') : t('secret_help')}</p>
        <TextInput
          label={t('name')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={1_000}
          dir="auto"
          required
        />
        <SchemaForm
          fields={fields}
          values={values}
          onChange={setValues}
          errors={atFields}
          texts={fieldTexts(kind?.source ?? credential.source)}
          isFlat
        />
        {error !== null && (fieldErrors.length === 0 || others.length > 0) && <ErrorAlert error={error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {textsOf('parts')('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
