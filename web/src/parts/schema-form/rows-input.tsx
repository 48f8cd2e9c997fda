// A list of objects with texts: a line for each, a column for each text.
import { Button, TextInput } from '@mantine/core'
import { textsOf } from '../../text/texts.ts'
import { Icon } from '../icon.tsx'
import { readRows } from './fields.ts'
import type { FieldTexts } from './schema-form.tsx'

interface RowsInputProps {
  name: string
  label: string
  description: string
  error: string | undefined
  columns: readonly string[]
  /** JSON. */
  value: string
  onChange: (text: string) => void
  texts: FieldTexts
}

export function RowsInput({ name, label, description, error, columns, value, onChange, texts }: RowsInputProps) {
  const t = textsOf('parts.form')
  const rows = readRows(value)
  const save = (changed: readonly Record<string, string>[]) => onChange(JSON.stringify(changed))
  return (
    <fieldset className="schema-rows">
      <legend>{label}</legend>
      <p className="small dimmed">{description}</p>
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has nothing else that stays.
        <div className="schema-row" key={at}>
          {columns.map((column) => (
            <TextInput
              key={column}
              aria-label={t('row_field', { field: texts.label(`${name}_${column}`) ?? column, row: at + 1 })}
              placeholder={texts.label(`${name}_${column}`) ?? column}
              value={row[column] ?? ''}
              onChange={(event) => {
                const changed = { ...row, [column]: event.currentTarget.value }
                save(rows.map((it, other) => (other === at ? changed : it)))
              }}
              maxLength={2_000}
              dir="auto"
            />
          ))}
          <Button
            variant="default"
            px="xs"
            aria-label={t('remove_row', { row: at + 1 })}
            onClick={() => save(rows.filter((_, other) => other !== at))}
          >
            <Icon name="trash" size={16} />
          </Button>
        </div>
      ))}
      {error !== undefined && (
        <p className="small schema-error" role="alert">
          {error}
        </p>
      )}
      <div>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => save([...rows, Object.fromEntries(columns.map((it) => [it, '']))])}
        >
          {t('add_row')}
        </Button>
      </div>
    </fieldset>
  )
}
