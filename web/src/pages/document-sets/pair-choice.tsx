// The connectors in a set. Those that are closed to the person stay in it.
import { Checkbox, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DocumentSetSummary } from '../../../../src/client/schemas.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { pairLabel, sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { pairsQuery } from './document-sets-query.ts'

interface Props {
  chosen: readonly number[]
  /** The stored ones, which may be missing in the list of connectors. */
  known: DocumentSetSummary['cc_pair_summaries']
  onChange: (chosen: readonly number[]) => void
}

interface Choice {
  id: number
  label: string
  source: string
}

/** From this number on, a field filters the list. */
const MANY = 8

export function PairChoice({ chosen, known, onChange }: Props) {
  const t = textsOf('admin.document_sets')
  const [text, setText] = useState('')
  const pairs = useQuery(pairsQuery)
  if (pairs.isError) return <ErrorAlert error={pairs.error} retry={() => void pairs.refetch()} />
  if (pairs.isPending) return <LoadingSkeleton lines={4} />
  const listed = pairs.data.map(
    (it): Choice => ({
      id: it.cc_pair_id,
      label: pairLabel({ id: it.cc_pair_id, name: it.name }),
      source: it.connector.source,
    }),
  )
  const others = known.filter((it) => !listed.some(({ id }) => id === it.id))
  const choices = [...listed, ...others.map((it): Choice => ({ id: it.id, label: pairLabel(it), source: it.source }))]
  const part = text.trim().toLowerCase()
  const shown = choices.filter((it) => `${it.label} ${sourceLabel(it.source)}`.toLowerCase().includes(part))
  const toggle = (id: number) => onChange(chosen.includes(id) ? chosen.filter((it) => it !== id) : [...chosen, id])
  return (
    <fieldset className="set-pairs">
      <legend>{t('fields.cc_pair_ids')}</legend>
      {choices.length === 0 && <p>{t('no_connectors')}</p>}
      {choices.length > MANY && (
        <TextInput
          aria-label={t('filter')}
          placeholder={t('filter')}
          maxLength={500}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <div className="set-pair-list">
        {shown.map((it) => (
          <Checkbox
            key={it.id}
            label={<bdi>{it.label}</bdi>}
            description={sourceLabel(it.source)}
            checked={chosen.includes(it.id)}
            onChange={() => toggle(it.id)}
          />
        ))}
        {choices.length > 0 && shown.length === 0 && <p className="dimmed">{t('no_match')}</p>}
      </div>
      <p className="small dimmed" role="status">
        {t('connectors_chosen', { count: chosen.length })}
      </p>
    </fieldset>
  )
}
