import { Badge, Button, NativeSelect } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { listInjectionScanWarnings } from '../../../../src/client/operations.ts'
import type { WarnedDocument } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { sourceLabel } from '../../parts/text.tsx'
import type en from '../../text/en.json'
import { textsOf } from '../../text/texts.ts'

interface Props {
  sources: readonly string[]
  source: string | null
  onSource: (source: string | null) => void
}

const PAGE_SIZE = 20

export function WarnedDocuments({ sources, source, onSource }: Props) {
  const t = textsOf('admin.screening')
  const documents = useWarnedDocuments(source)
  const items = documents.data?.pages.flat()
  return (
    <section className="card" aria-labelledby="warned-documents">
      <div className="section-head">
        <h2 id="warned-documents">{t('documents')}</h2>
        <NativeSelect
          aria-label={t('source')}
          value={source ?? ''}
          onChange={({ currentTarget: { value } }) => onSource(value === '' ? null : value)}
          data={[
            { value: '', label: t('all_sources') },
            ...sources.map((value) => ({ value, label: sourceLabel(value) })),
          ]}
        />
      </div>
      <p className="section-note dimmed small">{t('documents_help')}</p>
      {documents.isError && <ErrorAlert error={documents.error} retry={() => void documents.refetch()} />}
      {documents.isPending && <LoadingSkeleton lines={6} />}
      {items?.length === 0 && <EmptyState icon="filter" title={t('none')} />}
      {items !== undefined && items.length > 0 && (
        <ul className="screening-list">
          {items.map((it) => (
            <Warned key={it.document_id} document={it} />
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

/** In the order of the ids of documents. */
const firstPage = (): string | null => null

const useWarnedDocuments = (source: string | null) =>
  useInfiniteQuery({
    queryKey: ['screening', 'documents', source],
    queryFn: ({ signal, pageParam }) =>
      listInjectionScanWarnings(api, { source, after: pageParam, limit: PAGE_SIZE, signal }),
    initialPageParam: firstPage(),
    getNextPageParam: (last) => (last.length < PAGE_SIZE ? undefined : last.at(-1)?.document_id),
    placeholderData: keepPreviousData,
  })

type Kind = keyof typeof en.admin.screening.kinds

/** A newer service may know kinds that this page has no words for. */
const kindText = (kind: string): string => {
  const t = textsOf('admin.screening')
  return isKind(textsOf('admin.screening.kinds'), kind) ? t(`kinds.${kind}`) : kind
}
const isKind = (texts: { has(key: string): boolean }, kind: string): kind is Kind => texts.has(kind)

function Warned({ document }: { document: WarnedDocument }) {
  const t = textsOf('admin.screening')
  const { document_id, semantic_identifier, source, warnings, hidden_characters, kind, excerpt } = document
  return (
    <li>
      <div className="row">
        <AdminLink page="documents" id={document_id}>
          <bdi>{semantic_identifier}</bdi>
        </AdminLink>
        <span className="small dimmed">
          <bdi>{sourceLabel(source)}</bdi>
        </span>
        {warnings.map((it) => (
          <Badge key={it} color={it === 'instructions' ? 'red' : 'yellow'} variant="light" tt="none">
            {t(`warnings.${it}`)}
          </Badge>
        ))}
      </div>
      {kind !== null && <p className="small">{kindText(kind)}</p>}
      {excerpt !== null && (
        <blockquote dir="auto" className="screening-excerpt">
          {excerpt}
        </blockquote>
      )}
      {warnings.includes('hidden_text') && (
        <p className="small">{hidden_characters === 0 ? t('reordered') : t('hidden', { count: hidden_characters })}</p>
      )}
    </li>
  )
}
