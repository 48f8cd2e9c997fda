// Which model answers, which one reads pictures, and which one names chats.
import { Alert, Button, NativeSelect } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import {
  setDefaultChatNamingModel,
  setDefaultModel,
  setDefaultVisionModel,
  testDefaultModel,
  unsetDefaultChatNamingModel,
  unsetDefaultVisionModel,
} from '../../../../src/client/operations.ts'
import type { DefaultModel, LLMProviderViews } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { modelsOf, useReloadModels } from './models-query.ts'
import { FailedTest } from './test-verdict.tsx'

export function DefaultModels({ all }: { all: LLMProviderViews }) {
  const t = textsOf('admin.models.defaults')
  const reload = useReloadModels()
  const test = useMutation({ mutationFn: () => testDefaultModel(api), onSettled: reload })
  const answer = useMutation({
    mutationFn: (body: DefaultModel) => setDefaultModel(api, { body }),
    onSuccess: async () => {
      test.reset()
      await reload()
    },
  })
  const naming = useMutation({
    mutationFn: (body: DefaultModel | null) =>
      body === null ? unsetDefaultChatNamingModel(api) : setDefaultChatNamingModel(api, { body }),
    onSuccess: reload,
  })
  const pictures = useMutation({
    mutationFn: (body: DefaultModel | null) =>
      body === null ? unsetDefaultVisionModel(api) : setDefaultVisionModel(api, { body }),
    onSuccess: reload,
  })
  const readers = modelsOf(all).filter(({ model }) => model.supports_image_input)
  const error = answer.error ?? naming.error ?? pictures.error
  return (
    <section className="card card-pad stack" aria-labelledby="default-models">
      <h2 id="default-models">{t('title')}</h2>
      <div className="models-defaults">
        <ModelChoice
          models={modelsOf(all)}
          label={t('answers')}
          description={t('answers_help')}
          // An unset default cannot be chosen: there is no way back to it.
          none={all.default_text === null ? t('answers_none') : null}
          chosen={all.default_text}
          isPending={answer.isPending}
          onChoose={(it) => it !== null && answer.mutate(it)}
        />
        <ModelChoice
          models={readers}
          label={t('pictures')}
          description={t(readers.length === 0 ? 'pictures_unmarked' : 'pictures_help')}
          none={t('pictures_none')}
          chosen={all.default_vision}
          isPending={pictures.isPending}
          onChoose={(it) => pictures.mutate(it)}
        />
        <ModelChoice
          models={modelsOf(all)}
          label={t('naming')}
          description={t('naming_help')}
          none={t('naming_none')}
          chosen={all.default_chat_naming}
          isPending={naming.isPending}
          onChoose={(it) => naming.mutate(it)}
        />
      </div>
      {error !== null && <ErrorAlert error={error} />}
      <div className="row">
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="play" size={14} />}
          loading={test.isPending}
          disabled={all.default_text === null}
          onClick={() => test.mutate()}
        >
          {t('test')}
        </Button>
      </div>
      <div className="models-live" aria-live="polite">
        {test.isSuccess && (
          <Alert variant="light" color="green" icon={<Icon name="check" />} title={t('works')}>
            {t('works_help')}
          </Alert>
        )}
        {test.isError && <FailedTest error={test.error} />}
      </div>
    </section>
  )
}

interface ChoiceProps {
  models: ReturnType<typeof modelsOf>
  label: string
  description: string
  /** The text of the first entry, which stands for no model. */
  none: string | null
  chosen: DefaultModel | null
  isPending: boolean
  onChoose: (model: DefaultModel | null) => void
}

function ModelChoice({ models, label, description, none, chosen, isPending, onChoose }: ChoiceProps) {
  const t = textsOf('admin.models')
  const keyOf = ({ provider_id, model_name }: DefaultModel) => `${provider_id}/${model_name}`
  const find = (value: string) =>
    models
      .map(({ provider, model }) => ({ provider_id: provider.id, model_name: model.name }))
      .find((it) => keyOf(it) === value) ?? null
  return (
    <NativeSelect
      label={label}
      description={description}
      value={chosen === null ? '' : keyOf(chosen)}
      disabled={isPending}
      onChange={(event) => onChoose(find(event.currentTarget.value))}
      data={[
        ...(none === null ? [] : [{ value: '', label: none }]),
        ...models.map(({ provider, model }) => ({
          value: keyOf({ provider_id: provider.id, model_name: model.name }),
          label: t('model_of_provider', { model: model.display_name, provider: provider.name }),
        })),
      ]}
    />
  )
}
