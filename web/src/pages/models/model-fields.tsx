// The models of a provider: typed by name, or chosen from the list of its server.
import { Button, Checkbox, TextInput } from '@mantine/core'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import { FindModels } from './find-models.tsx'
import { type FieldsProps, type ModelValues, newModel } from './provider-values.ts'

const MAX_MODELS = 1_000
const MAX_CONTEXT = 100_000_000

export function ModelFields({ values, set, providerId }: FieldsProps & { providerId: number | null }) {
  const t = textsOf('admin.models.form')
  const { models } = values
  const change = (key: number, part: Partial<ModelValues>) =>
    set({ models: models.map((it) => (it.key === key ? { ...it, ...part } : it)) })
  return (
    <>
      <p className="dimmed small">{t('models_help')}</p>
      <FindModels values={values} set={set} providerId={providerId} />
      {models.map((model, at) => (
        <ModelRow
          key={model.key}
          number={at + 1}
          model={model}
          onChange={(part) => change(model.key, part)}
          onRemove={models.length === 1 ? null : () => set({ models: models.filter((it) => it.key !== model.key) })}
        />
      ))}
      <div>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="plus" size={14} />}
          disabled={models.length >= MAX_MODELS}
          onClick={() => set({ models: [...models, newModel()] })}
        >
          {t('add_model')}
        </Button>
      </div>
    </>
  )
}

interface RowProps {
  number: number
  model: ModelValues
  onChange: (part: Partial<ModelValues>) => void
  /** Null for the only model. */
  onRemove: (() => void) | null
}

function ModelRow({ number, model, onChange, onRemove }: RowProps) {
  const t = textsOf('admin.models.form')
  return (
    <fieldset className="model-row">
      <legend className="sr-only">{t('model_number', { number })}</legend>
      <div className="model-row-texts">
        <TextInput
          label={t('model_name')}
          value={model.name}
          onChange={(event) => onChange({ name: event.currentTarget.value, default_max_input_tokens: null })}
          maxLength={500}
          dir="auto"
          required
          withAsterisk={false}
        />
        <TextInput
          label={t('display_name')}
          placeholder={model.name}
          value={model.display_name}
          onChange={(event) => onChange({ display_name: event.currentTarget.value })}
          maxLength={500}
          dir="auto"
        />
        <TextInput
          label={t('context')}
          placeholder={
            model.default_max_input_tokens === null
              ? t('context_default')
              : t('context_default_known', { count: model.default_max_input_tokens })
          }
          type="number"
          min={256}
          max={MAX_CONTEXT}
          step={1}
          value={model.max_input_tokens}
          onChange={(event) => onChange({ max_input_tokens: event.currentTarget.value })}
        />
      </div>
      <div className="row">
        <Checkbox
          label={t('offered')}
          checked={model.is_visible}
          onChange={(event) => onChange({ is_visible: event.currentTarget.checked })}
        />
        <Checkbox
          label={t('tools')}
          checked={model.supports_tools}
          onChange={(event) => onChange({ supports_tools: event.currentTarget.checked })}
        />
        <Checkbox
          label={t('pictures')}
          checked={model.supports_image_input}
          onChange={(event) => onChange({ supports_image_input: event.currentTarget.checked })}
        />
        {onRemove !== null && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            onClick={onRemove}
            aria-label={t('remove_model', { number })}
          >
            {textsOf('parts')('remove')}
          </Button>
        )}
      </div>
    </fieldset>
  )
}
