// The form of a provider, new or stored. It is tested before it is saved.
import { Button, Checkbox } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { ApiError } from '../../../../src/client/api.ts'
import { setDefaultModel, upsertLlmProvider } from '../../../../src/client/operations.ts'
import type { LLMProviderView, WellKnownLLMProviderDescriptor } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { AccessFields } from './access-fields.tsx'
import { ConnectionFields } from './connection-fields.tsx'
import { kindTitle } from './kind-texts.ts'
import { ModelFields } from './model-fields.tsx'
import { useReloadModels } from './models-query.ts'
import { MoreFields } from './more-fields.tsx'
import { initialValues, namedModels, type ProviderValues, requestOf } from './provider-values.ts'
import { TestModel } from './test-model.tsx'

interface FormProps {
  /** Null for a kind that the service does not describe. */
  kind: WellKnownLLMProviderDescriptor | null
  /** Null for a new provider. */
  provider: LLMProviderView | null
  hasDefault: boolean
}

export function ProviderForm({ kind, provider: present, hasDefault }: FormProps) {
  const t = textsOf('admin.models.form')
  // The kind for any server does not name one.
  const title = kind === null || kind.name === 'openai_compatible' ? '' : kindTitle(kind)
  // The list is read again now and then; the form is about the provider as it was opened.
  const [provider] = useState(present)
  const [values, setValues] = useState(() => initialValues({ kind, provider, title, hasDefault }))
  const navigate = useNavigate()
  const reload = useReloadModels()
  const close = () => void navigate({ to: '/admin/$page/{-$id}', params: { page: 'models', id: undefined } })
  const save = useMutation({
    mutationFn: () => saveProvider(values, provider),
    onSuccess: async () => {
      await reload()
      close()
    },
  })
  const fields = { values, set: (change: Partial<ProviderValues>) => setValues((before) => ({ ...before, ...change })) }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className="models-form stack" onSubmit={submit}>
      <Section title={t('connection')}>
        <ConnectionFields {...fields} kind={kind} provider={provider} />
      </Section>
      <Section title={t('models')}>
        <ModelFields {...fields} providerId={provider?.id ?? null} />
        <TestModel values={values} providerId={provider?.id ?? null} />
      </Section>
      <Section title={t('access')}>
        <AccessFields {...fields} />
      </Section>
      <MoreFields {...fields} />
      {provider === null && (
        <Checkbox
          label={t('is_default')}
          description={t('is_default_help')}
          checked={values.isDefault}
          onChange={(event) => fields.set({ isDefault: event.currentTarget.checked })}
        />
      )}
      {save.isError && <SaveError error={save.error} onReload={() => void reload().then(close)} />}
      <div className="row">
        <Button type="submit" loading={save.isPending}>
          {t(provider === null ? 'create' : 'save')}
        </Button>
        <Button variant="default" onClick={close}>
          {textsOf('parts')('cancel')}
        </Button>
      </div>
    </form>
  )
}

async function saveProvider(values: ProviderValues, provider: LLMProviderView | null): Promise<void> {
  const saved = await upsertLlmProvider(api, { is_creation: provider === null, body: requestOf(values, provider) })
  const [first] = namedModels(values)
  if (provider !== null || !values.isDefault || first === undefined) return
  await setDefaultModel(api, { body: { provider_id: saved.id, model_name: first.name.trim() } })
}

/** After a change by another person, the form can be loaded again. */
function SaveError({ error, onReload }: { error: Error; onReload: () => void }) {
  const t = textsOf('admin.models.form')
  const isChanged = error instanceof ApiError && error.status === 409
  return (
    <>
      <ErrorAlert error={error} />
      {isChanged && (
        <div className="row">
          <Button variant="default" size="xs" onClick={onReload}>
            {t('reload')}
          </Button>
        </div>
      )}
    </>
  )
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className="card card-pad stack" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}
