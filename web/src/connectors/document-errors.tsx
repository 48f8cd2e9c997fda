import { Badge, Pagination, Table } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getManageAdminCcPairCcPairIdErrors } from '../../../src/client/operations.ts'
import { api } from '../api.ts'
import { Failure } from '../parts/states.tsx'
import { TableFrame } from '../parts/table-frame.tsx'
import { formatCount, Time } from '../parts/text.tsx'

const PAGE_SIZE = 10
/** Counting them reads every document of the pair. */
const REFRESH_MS = 15_000

export function DocumentErrors({ id }: { id: number }) {
  const [page, setPage] = useState(1)
  const errors = useQuery({
    queryKey: ['pair', id, 'errors', page],
    queryFn: ({ signal }) =>
      getManageAdminCcPairCcPairIdErrors(api, { cc_pair_id: id, page_num: page - 1, page_size: PAGE_SIZE, signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  })
  const total = errors.data?.total_items ?? 0
  return (
    <section className="card" aria-labelledby="errors">
      <div className="section-head">
        <h2 id="errors">Documents that failed</h2>
        {total > 0 && (
          <Badge color="yellow" variant="light">
            {formatCount(total)}
          </Badge>
        )}
      </div>
      {errors.isError && <Failure error={errors.error} />}
      {errors.data?.items.length === 0 && <p className="section-note dimmed small">None.</p>}
      {total > 0 && (
        <TableFrame label="Documents that failed">
          <Table verticalSpacing="sm" horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Document</Table.Th>
                <Table.Th>What went wrong</Table.Th>
                <Table.Th>Accepted</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {errors.data?.items.map((it) => (
                <Table.Tr key={it.id}>
                  <Table.Td>
                    <code>{it.document_id}</code>
                  </Table.Td>
                  <Table.Td>{it.failure_message}</Table.Td>
                  <Table.Td className="nowrap">
                    <Time at={it.time_created} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </TableFrame>
      )}
      {total > PAGE_SIZE && (
        <nav className="section-end" aria-label="Pages of documents that failed">
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
