// The fixed headers of a tool: a name and a secret value in each line.
import { Button, PasswordInput, TextInput } from '@mantine/core'
import type { Header } from '../../../../src/client/schemas.ts'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'

interface Props {
  headers: readonly Header[]
  onChange: (headers: readonly Header[]) => void
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
          onClick={() => onChange([...headers, { key: '', value: '' }])}
        >
          {t('add_header')}
        </Button>
      </div>
    </fieldset>
  )
}

interface RowProps {
  number: number
  header: Header
  onChange: (header: Header) => void
  onRemove: () => void
}

function HeaderRow({ number, header: { key, value }, onChange, onRemove }: RowProps) {
  const t = textsOf('admin.tools.form')
  const isMasked = value.includes('•')
  return (
    <div className="tool-header">
      <TextInput
        aria-label={t('header_name', { number })}
        placeholder={t('header_name_example')}
        value={key}
        onChange={(event) => onChange({ key: event.currentTarget.value, value })}
        maxLength={1_000}
        autoComplete="off"
        spellCheck={false}
      />
      <PasswordInput
        aria-label={t('header_value', { number })}
        placeholder={isMasked ? value : t('value')}
        value={isMasked ? '' : value}
        onChange={(event) => onChange({ key, value: event.currentTarget.value })}
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
