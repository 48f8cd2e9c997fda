import { NativeSelect, TextInput } from '@mantine/core'
import { ACTIONS, OBJECT_TYPES } from './actions.ts'
import type { AuditFields } from './audit-query.ts'

interface Props {
  fields: AuditFields
  onChange: (fields: AuditFields) => void
}

export function AuditFilters({ fields, onChange }: Props) {
  const set = (change: Partial<AuditFields>) => onChange({ ...fields, ...change })
  const actions = Object.entries(ACTIONS).filter(([action]) => action.startsWith(`${fields.type}.`))
  return (
    <search className="audit-filters">
      <TextInput
        label="Who"
        placeholder="Address, id or system"
        maxLength={500}
        value={fields.actor}
        onChange={(event) => set({ actor: event.currentTarget.value })}
      />
      <NativeSelect
        label="Kind"
        value={fields.type}
        onChange={(event) => set({ type: event.currentTarget.value, action: '' })}
        data={[
          { value: '', label: 'Everything' },
          ...Object.entries(OBJECT_TYPES).map(([value, label]) => ({ value, label })),
        ]}
      />
      <NativeSelect
        label="Action"
        value={fields.action}
        disabled={actions.length === 0}
        onChange={(event) => set({ action: event.currentTarget.value })}
        data={[
          { value: '', label: actions.length === 0 ? 'Choose a kind first' : 'All actions' },
          ...actions.map(([value, phrase]) => ({ value, label: optionLabel(phrase) })),
        ]}
      />
      <TextInput
        label="Object"
        placeholder="Id, or address of a person"
        maxLength={500}
        value={fields.object}
        onChange={(event) => set({ object: event.currentTarget.value })}
      />
      <NativeSelect
        label="Outcome"
        value={fields.outcome}
        onChange={(event) => set({ outcome: event.currentTarget.value })}
        data={[
          { value: '', label: 'All' },
          { value: 'success', label: 'Done' },
          { value: 'refused', label: 'Refused' },
          { value: 'failed', label: 'Failed' },
        ]}
      />
      <TextInput
        label="From"
        type="datetime-local"
        value={fields.from}
        onChange={(event) => set({ from: event.currentTarget.value })}
      />
      <TextInput
        label="Until"
        type="datetime-local"
        value={fields.until}
        onChange={(event) => set({ until: event.currentTarget.value })}
      />
    </search>
  )
}

/** The phrase without its object: "create the key". */
function optionLabel(phrase: string): string {
  const text = phrase.replace(' ({})', '').replaceAll('{}', '…')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
