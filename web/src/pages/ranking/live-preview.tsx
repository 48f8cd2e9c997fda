// The results of a query now, beside its results with the unsaved settings.
import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { previewRanking } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { formatScore } from '../search/format-score.ts'
import { RankedLists } from './ranked-lists.tsx'
import { changeCount, type Ranking } from './ranking-query.ts'

const MAX_QUERY = 2_048
/** The service is asked when nothing was typed for so long. */
const TYPING_MS = 300

interface Props {
  ranking: Ranking
  query: string
  onQuery: (query: string) => void
}

export function LivePreview({ ranking, query, onQuery }: Props) {
  const t = textsOf('admin.ranking.preview')
  const [asked] = useDebouncedValue(query.trim(), TYPING_MS)
  const [values] = useDebouncedValue(ranking.values, TYPING_MS)
  const preview = useQuery({
    queryKey: ['ranking-preview', asked, values, ranking.base?.version],
    queryFn: ({ signal }) => previewRanking(api, { body: { query: asked, settings: values ?? {} }, signal }),
    enabled: asked !== '' && values !== undefined,
    placeholderData: keepPreviousData,
  })
  const isChanged = changeCount(ranking.difference) > 0
  return (
    <section className="card card-pad stack ranking-preview" aria-labelledby="ranking-preview">
      <h2 id="ranking-preview">{t('title')}</h2>
      <TextInput
        label={t('query')}
        description={t('help')}
        value={query}
        onChange={(event) => onQuery(event.currentTarget.value)}
        maxLength={MAX_QUERY}
        autoComplete="off"
      />
      {asked !== '' && !isChanged && <p className="small dimmed">{t('unchanged')}</p>}
      {preview.isError && <ErrorAlert error={preview.error} retry={() => void preview.refetch()} />}
      {preview.isLoading && <LoadingSkeleton lines={6} />}
      {asked !== '' && preview.data !== undefined && (
        <div aria-busy={preview.isFetching} className="stack">
          {preview.data.ndcg_10 !== null && (
            <p>
              {isChanged ? t('ndcg', qualityOf(preview.data.ndcg_10)) : t('ndcg_now', qualityOf(preview.data.ndcg_10))}
            </p>
          )}
          <RankedLists current={preview.data.current} changed={isChanged ? preview.data.changed : null} />
        </div>
      )}
    </section>
  )
}

const qualityOf = ({ current, changed }: { current: number; changed: number }) => ({
  current: formatScore(current),
  changed: formatScore(changed),
})
