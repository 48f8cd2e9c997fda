import { TextInput } from '@mantine/core'
import { textsOf } from '../../text/texts.ts'

/** Empty fields filter nothing. */
export interface TrashFields {
  title: string
  deleted_by: string
}

export const NO_FILTER: TrashFields = { title: '', deleted_by: '' }
/** The longest texts that the API takes. */
const MAX_TITLE = 200
const MAX_DELETER = 500

interface Props {
  fields: TrashFields
  onChange: (fields: TrashFields) => void
}

export function TrashFilters({ fields, onChange }: Props) {
  const t = textsOf('admin.trash')
  return (
    <search className="filters">
      <TextInput
        label={t('filter_title')}
        placeholder={t('filter_title_example')}
        value={fields.title}
        onChange={(event) => onChange({ ...fields, title: event.currentTarget.value })}
        maxLength={MAX_TITLE}
      />
      <TextInput
        label={t('filter_deleter')}
        placeholder={t('filter_deleter_example')}
        value={fields.deleted_by}
        onChange={(event) => onChange({ ...fields, deleted_by: event.currentTarget.value })}
        maxLength={MAX_DELETER}
      />
    </search>
  )
}
