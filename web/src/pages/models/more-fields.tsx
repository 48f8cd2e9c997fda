// Settings that most providers leave as they are.
import { Button, TextInput } from '@mantine/core'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import type { FieldsProps, ProviderValues } from './provider-values.ts'

type TextName = 'api_version' | 'deployment_name'
type NumberName = 'first_token_s' | 'idle_s' | 'fallback_order'

const TEXTS: readonly { name: TextName; maxLength: number }[] = [
  { name: 'deployment_name', maxLength: 500 },
  { name: 'api_version', maxLength: 100 },
]
const NUMBERS: readonly { name: NumberName; min: number; max: number; step: number }[] = [
  { name: 'fallback_order', min: 0, max: 1_000_000, step: 1 },
  { name: 'first_token_s', min: 0.1, max: 900, step: 0.1 },
  { name: 'idle_s', min: 0.1, max: 900, step: 0.1 },
]

export function MoreFields({ values, set }: FieldsProps) {
  const t = textsOf('admin.models.more')
  return (
    <details className="card card-pad models-more">
      <summary>{t('title')}</summary>
      <div className="stack">
        {NUMBERS.map(({ name, ...range }) => (
          <TextInput
            key={name}
            {...range}
            type="number"
            label={t(`${name}.label`)}
            description={t(`${name}.help`)}
            value={values[name]}
            onChange={(event) => set({ [name]: event.currentTarget.value })}
          />
        ))}
        {TEXTS.map(({ name, maxLength }) => (
          <TextInput
            key={name}
            label={t(`${name}.label`)}
            description={t(`${name}.help`)}
            value={values[name]}
            onChange={(event) => set({ [name]: event.currentTarget.value })}
            maxLength={maxLength}
          />
        ))}
        <Headers headers={values.headers} onChange={(headers) => set({ headers })} />
      </div>
    </details>
  )
}

type Headers = ProviderValues['headers']

/** Stored values arrive masked, and a mask that is sent back keeps its value. */
function Headers({ headers, onChange }: { headers: Headers; onChange: (headers: Headers) => void }) {
  const t = textsOf('admin.models.more')
  const change = (at: number, part: Partial<Headers[number]>) =>
    onChange(headers.map((it, other) => (other === at ? { ...it, ...part } : it)))
  return (
    <fieldset className="models-choices">
      <legend>{t('headers')}</legend>
      <p className="small dimmed">{t('headers_help')}</p>
      {headers.map(({ key, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a header has nothing else that stays.
        <div className="row" key={at}>
          <TextInput
            aria-label={t('header_name', { number: at + 1 })}
            placeholder={textsOf('parts')('name')}
            value={key}
            onChange={(event) => change(at, { key: event.currentTarget.value })}
            maxLength={200}
          />
          <TextInput
            aria-label={t('header_value', { number: at + 1 })}
            placeholder={t('value')}
            value={value}
            onChange={(event) => change(at, { value: event.currentTarget.value })}
            maxLength={10_000}
            autoComplete="off"
          />
          <Button
            variant="default"
            px="xs"
            aria-label={t('remove_header', { number: at + 1 })}
            onClick={() => onChange(headers.filter((_, other) => other !== at))}
          >
            <Icon name="trash" size={16} />
          </Button>
        </div>
      ))}
      <div>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => onChange([...headers, { key: '', value: '' }])}
        >
          {t('add_header')}
        </Button>
      </div>
    </fieldset>
  )
}
