// The filters of stale documents.
import { NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { listReadableCcPairs } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { pairLabel, sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

const STATES = ['never', 'valid', 'changed', 'expired'] as const
const UNCHANGED_DAYS = [180, 365, 730] as const
const UNOPENED_DAYS = [30, 60, 90] as const

export interface StaleFilter {
  /** Null: all, as for the others. */
  verification: (typeof STATES)[number] | null
  source: string | null
  cc_pair_id: number | null
  /** Empty: all. */
  owner: string
  unchangedDays: number | null
  unopenedDays: number | null
}

export const NO_FILTER: StaleFilter = {
  verification: null,
  source: null,
  cc_pair_id: null,
  owner: '',
  unchangedDays: null,
  unopenedDays: null,
}

interface Props {
  filter: StaleFilter
  onFilter: (filter: StaleFilter) => void
}

export function StaleFilters({ filter, onFilter }: Props) {
  const t = textsOf('admin.stale_documents')
  const pairs = useQuery({
    queryKey: ['sources', 'readable'],
    queryFn: ({ signal }) => listReadableCcPairs(api, { with_pushed: true, signal }),
  })
  const known = pairs.data ?? []
  const daysOf = (days: readonly number[]) => days.map((count) => [String(count), t('days', { count })] as const)
  return (
    <search className="stale-filters">
      <Choice
        label={t('state')}
        value={filter.verification}
        options={STATES.map((it) => [it, t(`states.${it}`)])}
        onChange={(value) => onFilter({ ...filter, verification: STATES.find((it) => it === value) ?? null })}
      />
      <Choice
        label={t('unchanged')}
        value={filter.unchangedDays}
        options={daysOf(UNCHANGED_DAYS)}
        onChange={(value) => onFilter({ ...filter, unchangedDays: value === null ? null : Number(value) })}
      />
      <Choice
        label={t('unopened')}
        value={filter.unopenedDays}
        options={daysOf(UNOPENED_DAYS)}
        onChange={(value) => onFilter({ ...filter, unopenedDays: value === null ? null : Number(value) })}
      />
      <Choice
        label={t('source')}
        value={filter.source}
        options={[...new Set(known.map((it) => it.source))].map((it) => [it, sourceLabel(it)])}
        onChange={(source) => onFilter({ ...filter, source })}
      />
      <Choice
        label={t('connector')}
        value={filter.cc_pair_id}
        options={known.map((it) => [String(it.cc_pair_id), pairLabel({ id: it.cc_pair_id, name: it.name })])}
        onChange={(value) => onFilter({ ...filter, cc_pair_id: value === null ? null : Number(value) })}
      />
      <OwnerField owner={filter.owner} onOwner={(owner) => onFilter({ ...filter, owner })} />
    </search>
  )
}

interface ChoiceProps {
  label: ReactNode
  value: string | number | null
  options: readonly (readonly [value: string, label: string])[]
  onChange: (value: string | null) => void
}

const Choice = ({ label, value, options, onChange }: ChoiceProps) => (
  <NativeSelect
    label={label}
    value={String(value ?? '')}
    onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : currentTarget.value)}
    data={[
      { value: '', label: textsOf('admin.stale_documents')('all') },
      ...options.map(([value, label]) => ({ value, label })),
    ]}
  />
)

const MAX_ADDRESS = 320

/** The list follows when the field is left or sent, because only a whole address names a person. */
function OwnerField({ owner, onOwner }: { owner: string; onOwner: (owner: string) => void }) {
  const [text, setText] = useState(owner)
  const send = () => text.trim() !== owner && onOwner(text.trim())
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <TextInput
        label={textsOf('admin.stale_documents')('owner')}
        value={text}
        maxLength={MAX_ADDRESS}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onBlur={send}
      />
    </form>
  )
}
