// A paged list of documents, each with an error or a reason, and a button to read it again.
import { Badge, Button, Pagination } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { RecordTable } from '../../parts/record-table.tsx'
import { safeHref } from '../../parts/safe-link.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { formatCount, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

const PAGE_SIZE = 10
/** Slow, because counting reads every document of the pair. */
const REFRESH_MS = 5_000

export interface ListedDocument {
  key: string
  document_id: string | null
  link: string | null
  text: string
  time: string | null
}

interface Props<Row extends ListedDocument> {
  title: string
  /** Says what the list holds, when it is not empty. */
  help: ReactNode
  /** Shown instead of an empty list. */
  none: ReactNode
  /** The column heading of `text`. */
  about: string
  queryKey: readonly unknown[]
  load: (page: { page_num: number; page_size: number; signal: AbortSignal }) => Promise<{
    items: Row[]
    total_items: number
  }>
  /** For the whole list; shown when it is not empty. */
  actions?: ReactNode
  /** Undefined: a row cannot be read again. */
  onRetry?: ((row: Row) => void) | undefined
}

export function DocumentList<Row extends ListedDocument>(props: Props<Row>) {
  const { title, help, none, queryKey, load, actions } = props
  const [page, setPage] = useState(1)
  const heading = useId()
  const documents = useQuery({
    queryKey: [...queryKey, page],
    queryFn: ({ signal }) => load({ page_num: page - 1, page_size: PAGE_SIZE, signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  })
  const total = documents.data?.total_items ?? 0
  return (
    <section className="card" aria-labelledby={heading}>
      <div className="section-head">
        <h2 id={heading}>
          {title}{' '}
          {total > 0 && (
            <Badge color="yellow" variant="light">
              {formatCount(total)}
            </Badge>
          )}
        </h2>
        {total > 0 && actions}
      </div>
      {documents.isError && <ErrorAlert error={documents.error} retry={() => void documents.refetch()} />}
      {documents.data !== undefined && <p className="section-note dimmed small">{total > 0 ? help : none}</p>}
      {total > 0 && <Documents {...props} items={documents.data?.items ?? []} />}
      {total > PAGE_SIZE && <ListPages title={title} page={page} total={total} onPage={setPage} />}
    </section>
  )
}

function ListPages({
  title,
  page,
  total,
  onPage,
}: {
  title: string
  page: number
  total: number
  onPage: (page: number) => void
}) {
  const t = textsOf('admin.connector.runs')
  return (
    <nav className="section-end" aria-label={title}>
      <Pagination
        value={page}
        onChange={onPage}
        total={Math.ceil(total / PAGE_SIZE)}
        size="sm"
        getItemProps={(it) => ({ 'aria-label': t('page', { page: it }) })}
        getControlProps={(it) => ({ 'aria-label': it === 'next' ? t('next_page') : t('previous_page') })}
      />
    </nav>
  )
}

function Documents<Row extends ListedDocument>({
  title,
  about,
  items,
  onRetry,
}: Pick<Props<Row>, 'title' | 'about' | 'onRetry'> & { items: readonly Row[] }) {
  const t = textsOf('admin.connector.documents')
  return (
    <RecordTable
      label={title}
      rows={items}
      keyOf={(it) => it.key}
      columns={[
        { label: t('document'), className: 'long-text', cell: (it) => <DocumentName document={it} /> },
        { label: about, className: 'long-text', cell: (it) => <bdi>{it.text}</bdi> },
        ...(items.some((it) => it.time !== null)
          ? [{ label: t('time'), className: 'nowrap', cell: (it: Row) => <Time at={it.time} /> }]
          : []),
      ]}
      {...(onRetry !== undefined && {
        action: (row: Row) =>
          row.document_id === null ? null : (
            <Button
              variant="subtle"
              size="compact-sm"
              aria-label={t('retry_of', { document: row.document_id })}
              onClick={() => onRetry(row)}
            >
              {t('retry')}
            </Button>
          ),
      })}
    />
  )
}

function DocumentName({ document: { document_id, link } }: { document: ListedDocument }) {
  const href = safeHref(link)
  if (href === undefined) return <bdi>{document_id ?? '–'}</bdi>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      <bdi>{document_id}</bdi>
    </a>
  )
}
