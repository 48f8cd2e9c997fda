// The fixed headers of a tool: a name and a secret value in each line.
import { Button, PasswordInput, TextInput } from '@mantine/core'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import type { HeaderValue } from './tool-values.ts'

interface Props {
  headers: readonly HeaderValue[]
  onChange: (headers: readonly HeaderValue[]) => void
}

export function HeaderFields({ headers, onChange }: Props) {
  const t = textsOf('admin.tools.form')
  return (
    <fieldset className="tool-headers">
      <legend>{t('headers')}</legend>
      <p className="small dimmed">{t('headers_help')}</p>
      {headers.map((header, at) => (
        <HeaderRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has nothing else that stays.
          key={at}
          number={at + 1}
          header={header}
          onChange={(changed) => onChange(headers.map((it, other) => (other === at ? changed : it)))}
          onRemove={() => onChange(headers.filter((_, other) => other !== at))}
        />
      ))}
      <div>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => onChange([...headers, { key: '', value: '', mask: null }])}
        >
          {t('add_header')}
        </Button>
      </div>
    </fieldset>
  )
}

interface RowProps {
  number: number
  header: HeaderValue
  onChange: (header: HeaderValue) => void
  onRemove: () => void
}

function HeaderRow({ number, header, onChange, onRemove }: RowProps) {
  const t = textsOf('admin.tools.form')
  return (
    <div className="tool-header">
      <TextInput
        aria-label={t('header_name', { number })}
        placeholder={t('header_name_example')}
        value={header.key}
        onChange={(event) => onChange({ ...header, key: event.currentTarget.value })}
        maxLength={1_000}
        autoComplete="off"
        spellCheck={false}
      />
      <PasswordInput
        aria-label={t('header_value', { number })}
        placeholder={header.mask ?? t('value')}
        value={header.value}
        onChange={(event) => onChange({ ...header, value: event.currentTarget.value })}
        maxLength={100_000}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': t('show_header', { number }) }}
      />
      <Button variant="default" px="xs" aria-label={t('remove_header', { number })} onClick={onRemove}>
        <Icon name="trash" size={16} />
      </Button>
    </div>
  )
}
