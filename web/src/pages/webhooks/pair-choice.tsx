// The connectors that a webhook is about: all, or those that are ticked.
import { Checkbox, NativeSelect } from '@mantine/core'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { pairLabel, sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { useConnectorPairs } from './webhooks-query.ts'

interface PairChoiceProps {
  /** Null for all connectors. */
  chosen: readonly number[] | null
  onChange: (chosen: number[] | null) => void
}

export function PairChoice({ chosen, onChange }: PairChoiceProps) {
  const t = textsOf('admin.webhooks.form')
  return (
    <>
      <NativeSelect
        label={t('connectors')}
        description={t('connectors_help')}
        value={chosen === null ? 'all' : 'some'}
        onChange={({ currentTarget: { value } }) => onChange(value === 'all' ? null : [])}
        data={[
          { value: 'all', label: t('all_connectors') },
          { value: 'some', label: t('some_connectors') },
        ]}
      />
      {chosen !== null && <Pairs chosen={chosen} onChange={onChange} />}
    </>
  )
}

function Pairs({ chosen, onChange }: { chosen: readonly number[]; onChange: (chosen: number[]) => void }) {
  const t = textsOf('admin.webhooks.form')
  const pairs = useConnectorPairs()
  const toggle = (id: number) =>
    onChange(chosen.includes(id) ? chosen.filter((it) => it !== id) : [...chosen, id].sort((a, b) => a - b))
  if (pairs.isPending) return <LoadingSkeleton lines={2} />
  if (pairs.isError) return <ErrorAlert error={pairs.error} retry={() => void pairs.refetch()} />
  return (
    <fieldset className="webhook-choices webhook-pairs">
      <legend className="sr-only">{t('connectors')}</legend>
      {pairs.data.map(({ cc_pair_id, name, connector }) => (
        <Checkbox
          key={cc_pair_id}
          label={<bdi>{pairLabel({ id: cc_pair_id, name })}</bdi>}
          description={sourceLabel(connector.source)}
          checked={chosen.includes(cc_pair_id)}
          onChange={() => toggle(cc_pair_id)}
        />
      ))}
      {pairs.data.length === 0 && <p className="dimmed">{t('no_connectors')}</p>}
    </fieldset>
  )
}
