import { NativeSelect, TextInput } from '@mantine/core'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { PairFilter } from '../access/pair-filter.tsx'

export const STATES = ['waiting', 'failed', 'no_text'] as const

/** Empty fields filter nothing. */
export interface DocumentFields {
  title: string
  id: string
  state: (typeof STATES)[number] | null
  pair: number | null
}

export const NO_FILTER: DocumentFields = { title: '', id: '', state: null, pair: null }
/** The longest texts that the API takes. */
const MAX_TITLE = 200
const MAX_ID = 2_000

interface Props {
  fields: DocumentFields
  onChange: (fields: DocumentFields) => void
}

export function DocumentFilters({ fields, onChange }: Props) {
  const t = textsOf('admin.documents')
  const states = textsOf('admin.ingestion.receipts.filters')
  const me = useMe()
  const set = (change: Partial<DocumentFields>) => onChange({ ...fields, ...change })
  return (
    <search className="filters">
      <TextInput
        label={t('filter_title')}
        placeholder={t('filter_title_example')}
        value={fields.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
        maxLength={MAX_TITLE}
      />
      <TextInput
        label={t('filter_id')}
        placeholder={t('filter_id_example')}
        value={fields.id}
        onChange={(event) => set({ id: event.currentTarget.value })}
        maxLength={MAX_ID}
      />
      <NativeSelect
        label={t('filter_state')}
        value={fields.state ?? ''}
        onChange={({ currentTarget: { value } }) => set({ state: STATES.find((it) => it === value) ?? null })}
        data={[{ value: '', label: t('all_states') }, ...STATES.map((value) => ({ value, label: states(value) }))]}
      />
      {hasPermission(me, 'manage:connectors') && <PairFilter value={fields.pair} onChange={(pair) => set({ pair })} />}
    </search>
  )
}
