// The input of one field.
import { Checkbox, NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core'
import { textsOf } from '../../text/texts.ts'
import type { Field } from './fields.ts'
import { RowsInput } from './rows-input.tsx'
import type { FieldTexts } from './schema-form.tsx'

interface FieldInputProps {
  field: Field
  value: string
  onChange: (text: string) => void
  error: string | undefined
  texts: FieldTexts
}

export function FieldInput({ field, value, onChange, error, texts }: FieldInputProps) {
  const { name, kind, isRequired, usual } = field
  const t = textsOf('parts.form')
  const common = {
    label: texts.label(name) ?? wordsOf(name),
    description: texts.help(name) ?? field.description.replaceAll('`', ''),
    error,
    required: isRequired,
    name,
  }
  if (kind.type === 'boolean') {
    const isOn = value === '' ? usual === 'true' : value === 'true'
    const { required: _, ...rest } = common
    return <Checkbox {...rest} checked={isOn} onChange={(event) => onChange(String(event.currentTarget.checked))} />
  }
  if (kind.type === 'choice') {
    const choices = kind.choices.map((it) => ({ value: it, label: texts.choice(name, it) ?? wordsOf(it) }))
    const data = usual === '' && !isRequired ? [{ value: '', label: t('unchanged') }, ...choices] : choices
    return (
      <NativeSelect
        {...common}
        data={data}
        value={value === '' ? usual : value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  if (kind.type === 'rows')
    return <RowsInput {...common} columns={kind.columns} value={value} onChange={onChange} texts={texts} />
  return <TextField field={field} common={common} value={value} onChange={onChange} />
}

interface Common {
  label: string
  description: string
  error: string | undefined
  required: boolean
  name: string
}

function TextField({ field: { kind, usual }, common, value, onChange }: TextFieldProps) {
  const t = textsOf('parts.form')
  const change = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value)
  const text = { ...common, value, onChange: change, spellCheck: false, autoComplete: 'off', dir: 'auto' }
  if (kind.type === 'list') return <Textarea {...text} {...SEVERAL_LINES} placeholder={t('one_per_line')} />
  if (kind.type === 'json') return <Textarea {...text} {...SEVERAL_LINES} />
  if (kind.type === 'number') {
    const { min, max, isWhole } = kind
    const limits = { min, max, step: isWhole ? 1 : 'any' }
    return <TextInput {...text} {...limits} type="number" placeholder={usual} />
  }
  if (kind.type === 'secret') {
    const toggle = { 'aria-label': t('show_secret', { field: common.label }) }
    return <PasswordInput {...text} maxLength={kind.maxLength} visibilityToggleButtonProps={toggle} />
  }
  if (kind.type === 'date') return <TextInput {...text} type="date" />
  return <TextInput {...text} maxLength={kind.type === 'text' ? kind.maxLength : undefined} placeholder={usual} />
}

const SEVERAL_LINES = { autosize: true, minRows: 2, maxRows: 10 }

interface TextFieldProps {
  field: Field
  common: Common
  value: string
  onChange: (text: string) => void
}

/** `wiki_base` → Wiki base. */
function wordsOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
