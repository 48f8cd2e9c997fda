// The documents in which the agent searches.
import { Checkbox, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { DocumentSetSummary, FullPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { listText, sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import type { FieldsProps } from './agent-values.ts'
import { setsQuery } from './agents-query.ts'

interface Props extends FieldsProps {
  agent: FullPersonaSnapshot | undefined
}

export function KnowledgeFields({ values, set, agent }: Props) {
  const t = textsOf('agents.editor')
  return (
    <section className="card card-pad stack" aria-labelledby="agent-knowledge">
      <h2 id="agent-knowledge">{t('knowledge')}</h2>
      <p className="dimmed">{t('knowledge_help')}</p>
      <SetChoice values={values} set={set} agent={agent} />
      <TextInput
        className="agent-date"
        type="date"
        label={t('fields.search_start_date')}
        description={t('start_date_help')}
        value={values.search_start_date}
        onChange={(event) => set({ search_start_date: event.currentTarget.value })}
      />
    </section>
  )
}

function SetChoice({ values, set, agent }: Props) {
  const t = textsOf('agents.editor')
  const usable = useQuery(setsQuery)
  if (usable.isError) return <ErrorAlert error={usable.error} retry={() => void usable.refetch()} />
  if (usable.isPending) return <LoadingSkeleton lines={3} />
  const closed = (agent?.document_sets ?? []).filter((it) => !usable.data.some(({ id }) => id === it.id))
  const sets = [...usable.data, ...closed]
  const { document_set_ids: chosen } = values
  const toggle = (id: number) =>
    set({ document_set_ids: chosen.includes(id) ? chosen.filter((it) => it !== id) : [...chosen, id] })
  if (sets.length === 0) return <p>{t('no_sets')}</p>
  return (
    <fieldset className="agent-choices">
      <legend>{t('fields.document_set_ids')}</legend>
      {sets.map((it) => (
        <Checkbox
          key={it.id}
          label={<bdi>{it.name}</bdi>}
          description={describeSet(it)}
          checked={chosen.includes(it.id)}
          onChange={() => toggle(it.id)}
        />
      ))}
      <p className="small dimmed" role="status">
        {t('sets_chosen', { count: chosen.length })}
      </p>
    </fieldset>
  )
}

function describeSet({ description, cc_pair_summaries }: DocumentSetSummary) {
  const sources = [...new Set(cc_pair_summaries.map((it) => sourceLabel(it.source)))]
  return <bdi>{description.trim() === '' ? listText(sources) : description}</bdi>
}
