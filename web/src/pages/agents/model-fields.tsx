import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { LLMProviderDescriptors } from '../../../../src/client/schemas.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import type { FieldsProps } from './agent-values.ts'
import { modelsQuery } from './agents-query.ts'

export function ModelFields({ values, set }: FieldsProps) {
  const t = textsOf('agents.editor')
  const models = useQuery(modelsQuery)
  const chosen = values.default_model_configuration_id
  return (
    <section className="card card-pad stack" aria-label={t('fields.default_model_configuration_id')}>
      {models.isError && <ErrorAlert error={models.error} retry={() => void models.refetch()} />}
      <NativeSelect
        label={t('fields.default_model_configuration_id')}
        description={t('model_help')}
        value={chosen ?? ''}
        onChange={({ currentTarget: { value } }) =>
          set({ default_model_configuration_id: value === '' ? null : Number(value) })
        }
        data={choicesOf(models.data, chosen)}
      />
    </section>
  )
}

function choicesOf(models: LLMProviderDescriptors | undefined, chosen: number | null) {
  const t = textsOf('agents.editor')
  const providers = models?.providers ?? []
  const groups = providers.map(({ name, model_configurations }) => ({
    group: name,
    items: model_configurations
      .filter((it) => it.is_visible || it.id === chosen)
      .map((it) => ({ value: String(it.id), label: it.display_name })),
  }))
  const isKnown = chosen === null || groups.some((it) => it.items.some(({ value }) => value === String(chosen)))
  const standard = models?.default_text?.model_name
  return [
    { value: '', label: standard === undefined ? t('default_model') : t('default_model_named', { model: standard }) },
    ...(isKnown ? [] : [{ value: String(chosen), label: t('closed_model', { id: String(chosen) }) }]),
    ...groups.filter((it) => it.items.length > 0),
  ]
}
