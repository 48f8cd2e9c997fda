// The sources that the person may search in: what each holds, how fresh it is, and who looks after it.
import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { listReadableCcPairs, listTags } from '../../../../src/client/operations.ts'
import type { BasicCCPairInfo } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { pairLabel, sourceLabel } from '../../parts/text.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { SourceCard } from './source-card.tsx'
import { tagsBySource } from './tags-by-source.ts'
import './sources.css'

const REFRESH_MS = 30_000
/** With fewer connectors, a filter is of no use. */
const MIN_FILTERED = 6
const MAX_NAME = 200
const TAGS = 1_000

export function SourcesPage() {
  const t = textsOf('source_list')
  const me = useMe()
  const maySearch = hasPermission(me, 'search')
  const [name, setName] = useState('')
  const pairs = useQuery({
    queryKey: ['sources', 'readable'],
    queryFn: ({ signal }) => listReadableCcPairs(api, { with_pushed: true, signal }),
    refetchInterval: REFRESH_MS,
    enabled: maySearch,
  })
  const tags = useQuery({
    queryKey: ['sources', 'tags'],
    queryFn: ({ signal }) => listTags(api, { limit: TAGS, signal }),
    select: tagsBySource,
    enabled: maySearch,
  })
  useTitle(t('title'))
  if (me !== undefined && !maySearch) return <NoAccess />
  const all = pairs.data ?? []
  const shown = all.filter((it) => hasText(it, name))
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
        <Link to="/my-documents">{textsOf('own_documents')('link')}</Link>
      </div>
      {all.length >= MIN_FILTERED && (
        <search className="filters">
          <TextInput
            label={t('filter')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            maxLength={MAX_NAME}
          />
        </search>
      )}
      {pairs.isError && <ErrorAlert error={pairs.error} retry={() => void pairs.refetch()} />}
      {pairs.isPending && <LoadingSkeleton lines={8} />}
      {pairs.isSuccess && all.length === 0 && <NoSources />}
      {all.length > 0 && shown.length === 0 && <EmptyState icon="filter" title={t('none')} />}
      {[...Map.groupBy(shown, (it) => it.source)].map(([source, own]) => (
        <SourceCard key={source} source={source} pairs={own} tags={tags.data?.get(source) ?? []} />
      ))}
    </div>
  )
}

const hasText = ({ cc_pair_id: id, name, source }: BasicCCPairInfo, text: string): boolean =>
  [pairLabel({ id, name }), sourceLabel(source)].some((it) => it.toLowerCase().includes(text.trim().toLowerCase()))

function NoSources() {
  const t = textsOf('source_list')
  const isManager = hasPermission(useMe(), 'manage:connectors')
  return (
    <EmptyState icon="document" title={t('empty')}>
      {isManager
        ? t.rich('empty_for_managers', {
            link: (text) => (
              <Link to="/admin/$page/{-$id}" params={{ page: 'add-connector', id: undefined }}>
                {text}
              </Link>
            ),
          })
        : t('empty_help')}
    </EmptyState>
  )
}

function NoAccess() {
  const t = textsOf('source_list')
  return (
    <EmptyState icon="key" title={t('no_access')} heading="h1">
      {t('no_access_help')}
    </EmptyState>
  )
}
