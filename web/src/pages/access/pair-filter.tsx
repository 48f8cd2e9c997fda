import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listIndexingStatuses } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { pairLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

/** Limits the report to one connector. */
export function PairFilter({ value, onChange }: { value: number | null; onChange: (pair: number | null) => void }) {
  const t = textsOf('admin.access')
  const { data = [] } = useQuery({
    queryKey: ['access', 'pairs'],
    queryFn: ({ signal }) =>
      listIndexingStatuses(api, { body: { get_all_connectors: true, with_pushed: true }, signal }),
    select: (sources) => sources.flatMap((it) => it.indexing_statuses),
  })
  return (
    <NativeSelect
      label={t('connector')}
      className="access-select"
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : Number(currentTarget.value))}
      data={[
        { value: '', label: t('all_connectors') },
        ...data.map(({ cc_pair_id: id, name }) => ({ value: String(id), label: pairLabel({ id, name: name ?? '' }) })),
      ]}
    />
  )
}
