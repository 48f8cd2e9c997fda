import { Button, NativeSelect } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { listSensitiveDocuments } from '../../../../src/client/operations.ts'
import type { SensitiveDocument } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { CsvLink } from '../../parts/csv/csv-button.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { Findings } from './findings.tsx'
import { kindText, SENSITIVE_KINDS, type SensitiveKind } from './kinds.ts'

const STATES = ['open', 'quarantined', 'released', 'dismissed'] as const
type State = (typeof STATES)[number]

export interface FindingFilter {
  source: string | null
  kind: SensitiveKind | null
  /** Null: all. */
  state: State | null
}

interface Props {
  sources: readonly string[]
  filter: FindingFilter
  onFilter: (filter: FindingFilter) => void
}

const PAGE_SIZE = 25
const CSV = '/api/admin/sensitive-content/csv'

export function SensitiveDocuments({ sources, filter, onFilter }: Props) {
  const t = textsOf('admin.sensitive_content')
  const documents = useSensitiveDocuments(filter)
  const items = documents.data?.pages.flatMap((it) => it.items)
  return (
    <section className="card" aria-labelledby="sensitive-documents">
      <div className="section-head">
        <h2 id="sensitive-documents">{t('documents')}</h2>
        <CsvLink href={csvAddress(filter)} file="sensitive-content" size="xs" />
      </div>
      <Filters sources={sources} filter={filter} onFilter={onFilter} />
      {documents.isError && <ErrorAlert error={documents.error} retry={() => void documents.refetch()} />}
      {documents.isPending && <LoadingSkeleton lines={6} />}
      {items?.length === 0 && <EmptyState icon="filter" title={t('none')} />}
      {items !== undefined && items.length > 0 && (
        <ul className="sensitive-list">
          {items.map((it) => (
            <Listed key={it.document_id} document={it} />
          ))}
        </ul>
      )}
      {documents.hasNextPage && (
        <div className="section-end">
          <Button
            variant="default"
            size="xs"
            loading={documents.isFetchingNextPage}
            onClick={() => void documents.fetchNextPage()}
          >
            {textsOf('parts')('show_more')}
          </Button>
        </div>
      )}
    </section>
  )
}

function Filters({ sources, filter, onFilter }: Props) {
  const t = textsOf('admin.sensitive_content')
  const all = { value: '', label: t('all') }
  return (
    <div className="sensitive-filters">
      <NativeSelect
        label={t('state')}
        value={filter.state ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onFilter({ ...filter, state: STATES.find((it) => it === value) ?? null })
        }
        data={[all, ...STATES.map((value) => ({ value, label: t(`states.${value}`) }))]}
      />
      <NativeSelect
        label={t('kind')}
        value={filter.kind ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onFilter({ ...filter, kind: SENSITIVE_KINDS.find((it) => it === value) ?? null })
        }
        data={[all, ...SENSITIVE_KINDS.map((value) => ({ value, label: kindText(value) }))]}
      />
      <NativeSelect
        label={t('source')}
        value={filter.source ?? ''}
        onChange={({ currentTarget: { value } }) => onFilter({ ...filter, source: value === '' ? null : value })}
        data={[all, ...sources.map((value) => ({ value, label: sourceLabel(value) }))]}
      />
    </div>
  )
}

function csvAddress(filter: FindingFilter): string {
  const given = Object.entries(filter).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
  return given.length === 0 ? CSV : `${CSV}?${new URLSearchParams(given)}`
}

/** The newest changes. */
const firstPage = (): number | null => null

const useSensitiveDocuments = (filter: FindingFilter) =>
  useInfiniteQuery({
    queryKey: ['sensitive-content', 'documents', ...Object.values(filter)],
    queryFn: ({ signal, pageParam }) =>
      listSensitiveDocuments(api, { ...filter, before: pageParam, limit: PAGE_SIZE, signal }),
    initialPageParam: firstPage(),
    getNextPageParam: (last) => last.next_before ?? undefined,
    placeholderData: keepPreviousData,
  })

const Listed = ({ document }: { document: SensitiveDocument }) => (
  <li>
    <div className="row">
      <AdminLink page="documents" id={document.document_id}>
        <bdi>{document.semantic_identifier}</bdi>
      </AdminLink>
      <span className="small dimmed">
        <bdi>{sourceLabel(document.source)}</bdi>
      </span>
    </div>
    <Findings document={document} />
  </li>
)
