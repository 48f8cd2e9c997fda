// A paged list of documents, each with an error or a reason.
import { Badge, Pagination, Table } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { safeHref } from '../../parts/safe-link.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { formatCount, Time } from '../../parts/text.tsx'

const PAGE_SIZE = 10
/** Slow, because counting reads every document of the pair. */
const REFRESH_MS = 15_000

export interface ListedDocument {
  key: string
  document_id: string | null
  link: string | null
  text: string
  time: string
}

interface Props {
  title: string
  /** The column heading of `text`. */
  about: string
  queryKey: readonly unknown[]
  load: (page: { page_num: number; page_size: number; signal: AbortSignal }) => Promise<{
    items: ListedDocument[]
    total_items: number
  }>
}

export function DocumentList({ title, about, queryKey, load }: Props) {
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
        <h2 id={heading}>{title}</h2>
        {total > 0 && (
          <Badge color="yellow" variant="light">
            {formatCount(total)}
          </Badge>
        )}
      </div>
      {documents.isError && <ErrorAlert error={documents.error} />}
      {documents.data?.items.length === 0 && <p className="section-note dimmed small">None.</p>}
      {total > 0 && <Documents title={title} about={about} items={documents.data?.items ?? []} />}
      {total > PAGE_SIZE && (
        <nav className="section-end" aria-label={`Pages of ${title.toLowerCase()}`}>
          <Pagination
            value={page}
            onChange={setPage}
            total={Math.ceil(total / PAGE_SIZE)}
            size="sm"
            getItemProps={(it) => ({ 'aria-label': `Page ${it}` })}
            getControlProps={(it) => ({ 'aria-label': it === 'next' ? 'Next page' : 'Previous page' })}
          />
        </nav>
      )}
    </section>
  )
}

const Documents = ({ title, about, items }: Pick<Props, 'title' | 'about'> & { items: readonly ListedDocument[] }) => (
  <TableFrame label={title}>
    <Table verticalSpacing="sm" horizontalSpacing="md">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Document</Table.Th>
          <Table.Th>{about}</Table.Th>
          <Table.Th>Time</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items.map((it) => (
          <Table.Tr key={it.key}>
            <Table.Td>
              <DocumentName document={it} />
            </Table.Td>
            <Table.Td>{it.text}</Table.Td>
            <Table.Td className="nowrap">
              <Time at={it.time} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </TableFrame>
)

function DocumentName({ document: { document_id, link } }: { document: ListedDocument }) {
  const href = safeHref(link)
  if (href === undefined) return <code>{document_id}</code>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      <bdi>{document_id}</bdi>
    </a>
  )
}
