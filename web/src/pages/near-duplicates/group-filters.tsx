// The filters of groups: by a source or a connector of their documents.
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listReadableCcPairs } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { pairLabel, sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import type { GroupFilter } from './near-duplicates-page.tsx'

interface Props {
  filter: GroupFilter
  onFilter: (filter: GroupFilter) => void
}

export function GroupFilters({ filter, onFilter }: Props) {
  const t = textsOf('admin.near_duplicates')
  const pairs = useQuery({
    queryKey: ['sources', 'readable'],
    queryFn: ({ signal }) => listReadableCcPairs(api, { with_pushed: true, signal }),
  })
  const known = pairs.data ?? []
  const all = { value: '', label: t('all') }
  const sources = [...new Set(known.map((it) => it.source))]
  return (
    <search className="near-filters">
      <NativeSelect
        label={t('source')}
        value={filter.source ?? ''}
        onChange={({ currentTarget: { value } }) => onFilter({ ...filter, source: value === '' ? null : value })}
        data={[all, ...sources.map((value) => ({ value, label: sourceLabel(value) }))]}
      />
      <NativeSelect
        label={t('connector')}
        value={String(filter.cc_pair_id ?? '')}
        onChange={({ currentTarget: { value } }) =>
          onFilter({ ...filter, cc_pair_id: value === '' ? null : Number(value) })
        }
        data={[
          all,
          ...known.map((it) => ({
            value: String(it.cc_pair_id),
            label: pairLabel({ id: it.cc_pair_id, name: it.name }),
          })),
        ]}
      />
    </search>
  )
}
