import { NativeSelect, TextInput } from '@mantine/core'
import { textsOf } from '../../text/texts.ts'
import { actionLabel, actionsOf, isObjectType, objectTypes } from './actions.ts'
import { type AuditFields, OUTCOMES } from './audit-query.ts'

interface Props {
  fields: AuditFields
  onChange: (fields: AuditFields) => void
}

const MAX_TEXT = 500

export function AuditFilters({ fields, onChange }: Props) {
  const t = textsOf('admin.audit.filters')
  const set = (change: Partial<AuditFields>) => onChange({ ...fields, ...change })
  const actions = isObjectType(fields.type) ? actionsOf(fields.type) : []
  return (
    <search className="audit-filters">
      <TextInput
        label={t('who')}
        placeholder={t('who_example')}
        maxLength={MAX_TEXT}
        value={fields.actor}
        onChange={(event) => set({ actor: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('kind')}
        value={fields.type}
        onChange={(event) => set({ type: event.currentTarget.value, action: '' })}
        data={[
          { value: '', label: t('everything') },
          ...objectTypes().map((value) => ({ value, label: textsOf('admin.audit')(`types.${value}`) })),
        ]}
      />
      <NativeSelect
        label={t('action')}
        value={fields.action}
        disabled={actions.length === 0}
        onChange={(event) => set({ action: event.currentTarget.value })}
        data={[
          { value: '', label: actions.length === 0 ? t('choose_kind') : t('all_actions') },
          ...actions.map((value) => ({ value, label: actionLabel(value) })),
        ]}
      />
      <TextInput
        label={t('object')}
        placeholder={t('object_example')}
        maxLength={MAX_TEXT}
        value={fields.object}
        onChange={(event) => set({ object: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('outcome')}
        value={fields.outcome}
        onChange={(event) => set({ outcome: event.currentTarget.value })}
        data={[{ value: '', label: t('all') }, ...OUTCOMES.map((value) => ({ value, label: t(`outcomes.${value}`) }))]}
      />
      <TextInput
        label={t('from')}
        type="datetime-local"
        value={fields.from}
        onChange={(event) => set({ from: event.currentTarget.value })}
      />
      <TextInput
        label={t('until')}
        type="datetime-local"
        value={fields.until}
        onChange={(event) => set({ until: event.currentTarget.value })}
      />
    </search>
  )
}
