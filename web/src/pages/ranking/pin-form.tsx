// A dialog that puts documents first for a query.
import { Button, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Dialog } from '../../parts/dialog.tsx'
import { textsOf } from '../../text/texts.ts'
import { DocumentPicker } from './document-picker.tsx'
import { sameQuery } from './draft.ts'
import { FormButtons } from './half-lives.tsx'
import { documentName } from './item-texts.ts'
import type { Ranking } from './ranking-query.ts'

/** The longest query and list that the API takes. */
const MAX_QUERY = 2_000
const MAX_DOCUMENTS = 10

interface Props {
  ranking: Ranking
  /** If the query has pins already, they are changed. */
  initialQuery: string
  onSave: (query: string) => void
  onClose: () => void
}

export function PinForm({ ranking, initialQuery, onSave, onClose }: Props) {
  const t = textsOf('admin.ranking.pins')
  const pins = ranking.values?.pins ?? []
  const [query, setQuery] = useState(initialQuery)
  const [ids, setIds] = useState(() =>
    pins.filter((it) => sameQuery(it.query, initialQuery)).flatMap((it) => it.document_ids),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const replaced = [initialQuery, query]
    const others = pins.filter((pin) => !replaced.some((it) => sameQuery(it, pin.query)))
    ranking.change({ pins: [...others, { query: query.trim(), document_ids: ids }] })
    onSave(query.trim())
  }
  return (
    <Dialog title={t('add')} isWide onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          label={t('query')}
          description={t('query_help')}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          maxLength={MAX_QUERY}
          autoComplete="off"
          required
          withAsterisk={false}
        />
        {ids.length > 0 && <ChosenDocuments ids={ids} names={ranking.names} onChange={setIds} />}
        {ids.length < MAX_DOCUMENTS ? (
          <DocumentPicker
            initialQuery={initialQuery}
            chosen={ids}
            onChoose={(id, name) => {
              ranking.nameDocument(id, name)
              setIds([...ids, id])
            }}
          />
        ) : (
          <p className="small dimmed">{t('full', { count: MAX_DOCUMENTS })}</p>
        )}
        <FormButtons isReady={query.trim() !== '' && ids.length > 0} onClose={onClose} />
      </form>
    </Dialog>
  )
}

interface ChosenProps {
  ids: readonly string[]
  names: Ranking['names']
  onChange: (ids: string[]) => void
}

function ChosenDocuments({ ids, names, onChange }: ChosenProps) {
  const t = textsOf('admin.ranking.pins')
  const moveUp = (at: number) => {
    const moved = [...ids]
    moved.splice(at - 1, 2, ...ids.slice(at - 1, at + 1).toReversed())
    onChange(moved)
  }
  return (
    <ol className="ranking-chosen" aria-label={t('chosen')}>
      {ids.map((id, at) => {
        const title = documentName(id, names)
        return (
          <li key={id}>
            <span className="ranking-word" dir="auto">
              {title}
            </span>
            <span className="row-actions">
              {at > 0 && (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-label={t('move_up_of', { title })}
                  onClick={() => moveUp(at)}
                >
                  {t('move_up')}
                </Button>
              )}
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                c="var(--mantine-color-error)"
                aria-label={textsOf('admin.ranking.list')('remove_of', { name: title })}
                onClick={() => onChange(ids.filter((it) => it !== id))}
              >
                {textsOf('parts')('remove')}
              </Button>
            </span>
          </li>
        )
      })}
    </ol>
  )
}
