// A form made from a JSON Schema: what is required first, the rest folded away.
import type { ReactNode } from 'react'
import { textsOf } from '../../text/texts.ts'
import { FieldInput } from './field-input.tsx'
import { type Field, type FieldErrors, type Values, valueIn } from './fields.ts'
import './schema-form.css'

/** The words of a field. Fields without them are named by the schema. */
export interface FieldTexts {
  label: (name: string) => string | null
  help: (name: string) => string | null
  choice: (name: string, value: string) => string | null
}

interface SchemaFormProps {
  fields: readonly Field[]
  values: Values
  onChange: (values: Values) => void
  errors: FieldErrors
  texts: FieldTexts
  /** Whether fields that are not required are shown at once. */
  isFlat?: boolean
}

export function SchemaForm({ fields, isFlat = false, ...props }: SchemaFormProps) {
  const required = fields.filter((it) => it.isRequired)
  const isShortForm = isFlat || required.length === 0
  const optional = fields.filter((it) => !it.isRequired)
  return (
    <div className="schema-form">
      <Inputs {...props} fields={isShortForm ? fields : required} />
      {!isShortForm && optional.length > 0 && (
        <Advanced hasError={optional.some((it) => valueIn(props.errors, it.name) !== undefined)}>
          <Inputs {...props} fields={optional} />
        </Advanced>
      )}
    </div>
  )
}

const Advanced = ({ hasError, children }: { hasError: boolean; children: ReactNode }) => (
  <details className="schema-advanced" open={hasError || undefined}>
    <summary>{textsOf('parts.form')('advanced')}</summary>
    <div className="schema-form">{children}</div>
  </details>
)

const Inputs = ({ fields, values, onChange, errors, texts }: Omit<SchemaFormProps, 'isFlat'>) =>
  fields.map((field) => (
    <FieldInput
      key={field.name}
      field={field}
      value={valueIn(values, field.name) ?? ''}
      onChange={(text) => onChange({ ...values, [field.name]: text })}
      error={valueIn(errors, field.name)}
      texts={texts}
    />
  ))
