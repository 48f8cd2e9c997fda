// The models of a provider: what each can do, and its test.
import { Badge, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { testLlmProvider } from '../../../../src/client/operations.ts'
import type { LLMProviderView, LLMProviderViews, ModelConfigurationView } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { isDefault, useReloadModels } from './models-query.ts'
import { FailedTest, WorkingTest } from './test-verdict.tsx'

export function ModelTable({ provider, all }: { provider: LLMProviderView; all: LLMProviderViews }) {
  const t = textsOf('admin.models.table')
  const reload = useReloadModels()
  const test = useMutation({
    mutationFn: (model: string) => testLlmProvider(api, { body: storedConnection(provider, model) }),
    onSettled: reload,
  })
  if (provider.model_configurations.length === 0) return <p className="section-note">{t('none')}</p>
  return (
    <>
      <RecordTable
        label={t('title', { name: provider.name })}
        rows={provider.model_configurations}
        keyOf={({ name }) => name}
        columns={[
          {
            label: t('model'),
            className: 'long-text',
            cell: (it) => <ModelName model={it} provider={provider} all={all} />,
          },
          { label: t('context'), className: 'number', cell: (it) => formatCount(it.max_input_tokens) },
          { label: t('can'), cell: (it) => <Abilities model={it} /> },
          { label: t('choice'), className: 'nowrap', cell: (it) => t(it.is_visible ? 'offered' : 'not_offered') },
        ]}
        action={({ name }) => (
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={t('test_of', { model: name })}
            loading={test.isPending && test.variables === name}
            disabled={test.isPending}
            onClick={() => test.mutate(name)}
          >
            {t('test')}
          </Button>
        )}
      />
      <div className="models-alerts models-live" aria-live="polite">
        {test.isSuccess && <WorkingTest model={test.variables} />}
        {test.isError && <FailedTest error={test.error} />}
      </div>
    </>
  )
}

/** The stored secrets are used. */
const storedConnection = (provider: LLMProviderView, model: string) => ({
  id: provider.id,
  provider: provider.provider,
  api_base: provider.api_base,
  api_version: provider.api_version,
  deployment_name: provider.deployment_name,
  model,
})

function ModelName({ model, provider, all }: { model: ModelConfigurationView } & Parameters<typeof ModelTable>[0]) {
  const t = textsOf('admin.models.table')
  return (
    <>
      <bdi>{model.display_name}</bdi>{' '}
      {isDefault(all.default_text, provider, model.name) && (
        <Badge variant="light" tt="none">
          {t('answers')}
        </Badge>
      )}{' '}
      {isDefault(all.default_chat_naming, provider, model.name) && (
        <Badge variant="light" color="gray" tt="none">
          {t('names_chats')}
        </Badge>
      )}{' '}
      {isDefault(all.default_vision, provider, model.name) && (
        <Badge variant="light" color="gray" tt="none">
          {t('reads_pictures')}
        </Badge>
      )}
      {model.display_name !== model.name && (
        <div className="small dimmed">
          <bdi>{model.name}</bdi>
        </div>
      )}
    </>
  )
}

function Abilities({ model }: { model: ModelConfigurationView }) {
  const t = textsOf('admin.models.table')
  return (
    <>
      <Badge variant="light" color={model.supports_tools ? 'green' : 'gray'} tt="none">
        {t(model.supports_tools ? 'tools' : 'no_tools')}
      </Badge>{' '}
      {model.supports_image_input && (
        <Badge variant="light" color="green" tt="none">
          {t('pictures')}
        </Badge>
      )}
    </>
  )
}
