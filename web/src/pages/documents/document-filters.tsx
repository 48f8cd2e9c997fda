import { NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { listIndexedSources } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { sourceLabel } from '../../parts/text.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { PairFilter } from '../access/pair-filter.tsx'

export const STATES = ['waiting', 'failed', 'no_text'] as const
const VISIBILITIES = ['shown', 'hidden'] as const

/** Empty fields filter nothing. */
export interface DocumentFields {
  title: string
  id: string
  state: (typeof STATES)[number] | null
  pair: number | null
  source: string
  visibility: (typeof VISIBILITIES)[number] | null
}

export const NO_FILTER: DocumentFields = { title: '', id: '', state: null, pair: null, source: '', visibility: null }
/** The longest texts that the API takes. */
const MAX_TITLE = 200
const MAX_ID = 2_000
const MAX_SOURCE = 100

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
      <NativeSelect
        label={t('filter_hidden')}
        value={fields.visibility ?? ''}
        onChange={({ currentTarget: { value } }) =>
          set({ visibility: VISIBILITIES.find((it) => it === value) ?? null })
        }
        data={[
          { value: '', label: t('visibilities.all') },
          ...VISIBILITIES.map((value) => ({ value, label: t(`visibilities.${value}`) })),
        ]}
      />
      <SourceFilter value={fields.source} onChange={(source) => set({ source })} />
      {hasPermission(me, 'manage:connectors') && <PairFilter value={fields.pair} onChange={(pair) => set({ pair })} />}
    </search>
  )
}

/** Any source can be typed, because pushed documents may name one that no connector reads. */
function SourceFilter({ value, onChange }: { value: string; onChange: (source: string) => void }) {
  const t = textsOf('admin.documents')
  const id = useId()
  const { data } = useQuery({
    queryKey: ['sources'],
    queryFn: ({ signal }) => listIndexedSources(api, { signal }),
    staleTime: 60_000,
    enabled: hasPermission(useMe(), 'search'),
  })
  return (
    <>
      <TextInput
        label={t('filter_source')}
        placeholder={t('filter_source_example')}
        list={id}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        maxLength={MAX_SOURCE}
        autoComplete="off"
      />
      <datalist id={id}>
        {data?.sources.map((source) => (
          <option key={source} value={source}>
            {sourceLabel(source)}
          </option>
        ))}
      </datalist>
    </>
  )
}
