// Finds a document by a search, as the person may read it, and gives its id.
import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { searchDocuments } from '../../../../src/client/operations.ts'
import type { SearchResponse } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

const SHOWN = 6
const MAX_QUERY = 2_048
/** The service is asked when nothing was typed for so long. */
const TYPING_MS = 250

type Found = SearchResponse['results'][number]

interface Props {
  initialQuery: string
  /** Ids that are chosen already. */
  chosen: readonly string[]
  onChoose: (id: string, name: string) => void
}

export function DocumentPicker({ initialQuery, chosen, onChoose }: Props) {
  const t = textsOf('admin.ranking.picker')
  const [text, setText] = useState(initialQuery)
  const [query] = useDebouncedValue(text.trim(), TYPING_MS)
  const found = useQuery({
    queryKey: ['documents', 'picked', query],
    queryFn: ({ signal }) =>
      searchDocuments(api, { body: { query, num_hits: SHOWN, record: false, answers_only: false }, signal }),
    enabled: query !== '',
    placeholderData: keepPreviousData,
  })
  const results = query === '' ? [] : (found.data?.results ?? [])
  return (
    <div className="ranking-picker">
      <TextInput
        label={t('label')}
        description={t('help')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maxLength={MAX_QUERY}
        autoComplete="off"
      />
      {found.isError && <ErrorAlert error={found.error} />}
      {query !== '' && found.data?.results.length === 0 && <p className="small dimmed">{t('none')}</p>}
      {results.length > 0 && (
        <ul aria-label={t('found')}>
          {results.map((it) => (
            <FoundDocument
              key={it.document_id}
              found={it}
              isChosen={chosen.includes(it.document_id)}
              onChoose={onChoose}
            />
          ))}
        </ul>
      )}
    </div>
  )
}

interface FoundProps {
  found: Found
  isChosen: boolean
  onChoose: Props['onChoose']
}

function FoundDocument({ found: { document_id, title, source_type }, isChosen, onChoose }: FoundProps) {
  const t = textsOf('admin.ranking.picker')
  return (
    <li>
      <div className="ranking-word">
        <bdi>{title}</bdi>
        <div className="small dimmed">
          {sourceLabel(source_type)} · <bdi>{document_id}</bdi>
        </div>
      </div>
      <Button
        size="compact-sm"
        variant="default"
        disabled={isChosen}
        aria-label={isChosen ? t('chosen_of', { title }) : t('choose_of', { title })}
        onClick={() => onChoose(document_id, title)}
      >
        {isChosen ? t('chosen') : textsOf('parts')('choose')}
      </Button>
    </li>
  )
}
