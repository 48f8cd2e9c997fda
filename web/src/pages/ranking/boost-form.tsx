// A dialog that ranks a source, a document set or a document higher or lower.
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { listDocumentSets } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { FACTOR_STEP, MAX_FACTOR, MIN_FACTOR } from './boosts.tsx'
import { DocumentPicker } from './document-picker.tsx'
import { type Boost, boostTarget } from './draft.ts'
import { FormButtons } from './half-lives.tsx'
import { documentName } from './item-texts.ts'
import { NumberField } from './number-field.tsx'
import type { Ranking } from './ranking-query.ts'
import { SourceField } from './source-field.tsx'

const KINDS = ['source', 'document_set', 'document'] as const
type Kind = (typeof KINDS)[number]
const DEFAULT_FACTOR = 2

interface Props {
  ranking: Ranking
  source: string
  /** Suggests documents. */
  query: string
  onClose: () => void
}

export function BoostForm({ ranking, source, query, onClose }: Props) {
  const t = textsOf('admin.ranking.boosts')
  const [kind, setKind] = useState<Kind>(source === '' && query !== '' ? 'document' : 'source')
  const [target, setTarget] = useState(source)
  const [factor, setFactor] = useState(DEFAULT_FACTOR)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const boost = boostOf(kind, target.trim(), factor)
    const others = (ranking.values?.boosts ?? []).filter((it) => boostTarget(it) !== boostTarget(boost))
    ranking.change({ boosts: [...others, boost] })
    onClose()
  }
  return (
    <Dialog title={t('add')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <NativeSelect
          label={t('kind')}
          value={kind}
          onChange={({ currentTarget: { value } }) => {
            setKind(KINDS.find((it) => it === value) ?? kind)
            setTarget('')
          }}
          data={KINDS.map((value) => ({ value, label: t(`kinds.${value}`) }))}
        />
        {kind === 'source' && <SourceField value={target} onChange={setTarget} />}
        {kind === 'document_set' && <SetField value={target} onChange={setTarget} />}
        {kind === 'document' && (
          <>
            {target !== '' && (
              <p className="ranking-word">
                {t.rich('chosen', { document: () => <bdi>{documentName(target, ranking.names)}</bdi> })}
              </p>
            )}
            <DocumentPicker
              initialQuery={query}
              chosen={[target]}
              onChoose={(id, name) => {
                ranking.nameDocument(id, name)
                setTarget(id)
              }}
            />
          </>
        )}
        <NumberField
          label={t('factor')}
          description={t('factor_help')}
          value={factor}
          min={MIN_FACTOR}
          max={MAX_FACTOR}
          step={FACTOR_STEP}
          onChange={(it) => it !== null && setFactor(it)}
        />
        <FormButtons isReady={target.trim() !== ''} onClose={onClose} />
      </form>
    </Dialog>
  )
}

function boostOf(kind: Kind, target: string, factor: number): Boost {
  if (kind === 'source') return { source: target, factor }
  return kind === 'document_set' ? { document_set: target, factor } : { document_id: target, factor }
}

function SetField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = textsOf('admin.ranking.boosts')
  const sets = useQuery({
    queryKey: ['document-sets'],
    queryFn: ({ signal }) => listDocumentSets(api, { signal }),
  })
  if (sets.isError) return <ErrorAlert error={sets.error} retry={() => void sets.refetch()} />
  return (
    <NativeSelect
      label={t('kinds.document_set')}
      description={sets.data?.length === 0 ? t('no_sets') : undefined}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        { value: '', label: textsOf('parts')('choose') },
        ...(sets.data?.map(({ name }) => ({ value: name, label: name })) ?? []),
      ]}
      required
      withAsterisk={false}
    />
  )
}
