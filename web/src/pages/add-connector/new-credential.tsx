// A new credential from the schema of its source. The service returns its secrets masked only.
import { Button, Checkbox, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../../../src/client/api.ts'
import { createCredential } from '../../../../src/client/operations.ts'
import type { ConnectorSource } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { errorsAtFields, readFields, toObject, type Values } from '../../parts/schema-form/fields.ts'
import { SchemaForm } from '../../parts/schema-form/schema-form.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { fieldTexts, kindTitle } from './kind-texts.ts'

interface NewCredentialProps {
  kind: ConnectorSource
  onMade: (id: number) => void
  /** Null if there is nothing to go back to. */
  onCancel: (() => void) | null
}

export function NewCredential({ kind, onMade, onCancel }: NewCredentialProps) {
  const t = textsOf('admin.add_connector')
  const queryClient = useQueryClient()
  const fields = readFields(kind.credential_schema ?? {})
  const [name, setName] = useState(() => t('credential_of', { kind: kindTitle(kind) }))
  const [isShared, setShared] = useState(false)
  const [values, setValues] = useState<Values>({})
  const create = useMutation({
    mutationFn: () => {
      const credential_json = toObject(fields, values)
      return createCredential(api, {
        body: { source: kind.source, name, credential_json, admin_public: isShared },
      })
    },
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: ['credentials'] })
      onMade(id)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  const { error } = create
  const fieldErrors = error instanceof ApiError ? error.fieldErrors : []
  const { atFields, others } = errorsAtFields(fieldErrors, 'credential_json', fields)
  return (
    <form className="schema-form" onSubmit={submit} aria-label={t('new_credential')}>
      <SchemaForm
        fields={fields}
        values={values}
        onChange={setValues}
        errors={atFields}
        texts={fieldTexts(kind.source)}
        isFlat
      />
      <TextInput
        label={t('credential_name')}
        description={t('credential_name_help')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={1_000}
        dir="auto"
        required
      />
      <Checkbox
        label={t('credential_shared')}
        description={t('credential_shared_help')}
        checked={isShared}
        onChange={(event) => setShared(event.currentTarget.checked)}
      />
      {error !== null && (fieldErrors.length === 0 || others.length > 0) && <ErrorAlert error={error} />}
      <div className="row">
        <Button type="submit" loading={create.isPending}>
          {t('save_credential')}
        </Button>
        {onCancel !== null && (
          <Button variant="default" onClick={onCancel}>
            {textsOf('parts')('cancel')}
          </Button>
        )}
      </div>
    </form>
  )
}
