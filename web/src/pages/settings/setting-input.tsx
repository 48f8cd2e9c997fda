// The input of one setting.
import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { textsOf } from '../../text/texts.ts'
import {
  HISTORY_TYPES,
  SENSITIVE_CONTENT_MODES,
  SETTING_KINDS,
  type SettingKind,
  type SettingName,
} from './setting-fields.ts'
import { wordsOf } from './setting-values.ts'

interface Props {
  name: SettingName
  text: string
  defaultText: string
  onChange: (text: string) => void
}

export function SettingInput({ name, text, defaultText, onChange }: Props) {
  const t = textsOf('admin.settings')
  const kind: SettingKind = SETTING_KINDS[name]
  const usual = wordsOf(name, defaultText)
  const shared = {
    label: t(`fields.${name}.label`),
    description:
      usual === '' ? t(`fields.${name}.help`) : t('help_and_default', { help: t(`fields.${name}.help`), usual }),
    name,
  }
  const change = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value)
  if (kind.is === 'flag') {
    return (
      <Checkbox
        {...shared}
        checked={text === 'true'}
        onChange={(event) => onChange(`${event.currentTarget.checked}`)}
      />
    )
  }
  if (kind.is === 'history_type') {
    const data = HISTORY_TYPES.map((value) => ({ value, label: t(`history_types.${value}`) }))
    return <NativeSelect {...shared} data={data} value={text} onChange={change} />
  }
  if (kind.is === 'sensitive_content_mode') {
    const data = SENSITIVE_CONTENT_MODES.map((value) => ({ value, label: t(`sensitive_content_modes.${value}`) }))
    return <NativeSelect {...shared} data={data} value={text} onChange={change} />
  }
  if (kind.is === 'number') {
    const limits = { min: kind.min, max: kind.max ?? undefined, step: kind.isWhole ? 1 : 'any' }
    return (
      <TextInput
        {...shared}
        {...limits}
        type="number"
        className="settings-number"
        placeholder={defaultText}
        value={text}
        onChange={change}
      />
    )
  }
  const written = {
    ...shared,
    value: text,
    onChange: change,
    maxLength: kind.maxLength,
    dir: 'auto',
    autoComplete: 'off',
  }
  return kind.isLong ? <Textarea {...written} autosize minRows={2} maxRows={10} /> : <TextInput {...written} />
}
