// A number that changes the draft as soon as it is valid, so that the preview follows.
import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { textsOf } from '../../text/texts.ts'

interface Props {
  label: string
  /** Without a visible label, in a table. */
  isLabelHidden?: boolean
  description?: string
  /** Null is the empty field. */
  value: number | null
  min: number
  max: number
  step: number
  /** Whether the field may be empty, which is null. */
  isOptional?: boolean
  onChange: (value: number | null) => void
}

export function NumberField({ label, isLabelHidden = false, description, isOptional = false, ...field }: Props) {
  const { value, min, max, step, onChange } = field
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? (value === null ? '' : String(value))
  const error = numberOf(text, field) === undefined && !(isOptional && text.trim() === '')
  return (
    <TextInput
      {...(isLabelHidden ? { 'aria-label': label } : { label })}
      {...(description !== undefined && { description })}
      type="number"
      inputMode="decimal"
      {...{ min, max, step }}
      value={text}
      error={error && textsOf('admin.ranking.list')('number_error', { min, max })}
      onChange={(event) => {
        const next = event.currentTarget.value
        setTyped(next)
        const read = numberOf(next, field)
        if (read !== undefined) onChange(read)
        else if (isOptional && next.trim() === '') onChange(null)
      }}
      onBlur={() => {
        if (!error) setTyped(null)
      }}
    />
  )
}

function numberOf(text: string, { min, max }: Pick<Props, 'min' | 'max'>): number | undefined {
  const value = Number(text)
  return text.trim() !== '' && value >= min && value <= max ? value : undefined
}
