import { Badge, Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listIndexAttempts } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { formatCount, sourceLabel, Time } from '../../parts/text.tsx'
import { REFRESH_MS } from './use-connector-statuses.ts'

const SHOWN = 20
const COLORS: Record<string, string> = { success: 'green', failed: 'red', in_progress: 'blue' }

/** The index attempts of a connector. */
export function Attempts({ id }: { id: number }) {
  const attempts = useQuery({
    queryKey: ['pair', id, 'attempts'],
    queryFn: ({ signal }) => listIndexAttempts(api, { cc_pair_id: id, page_size: SHOWN, signal }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <section className="card" aria-labelledby="attempts">
      <div className="section-head">
        <h2 id="attempts">Index attempts</h2>
      </div>
      {attempts.isError && <ErrorAlert error={attempts.error} />}
      {attempts.data?.items.length === 0 && (
        <p className="section-note dimmed small">
          This connector does not pull, so it has no index attempts. Pushed documents have receipts on the Ingestion
          page.
        </p>
      )}
      {attempts.data !== undefined && attempts.data.items.length > 0 && (
        <TableFrame label="Index attempts">
          <Table verticalSpacing="sm" horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Started</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th className="number">New</Table.Th>
                <Table.Th className="number">Seen</Table.Th>
                <Table.Th className="number">Skipped</Table.Th>
                <Table.Th className="number">Removed</Table.Th>
                <Table.Th>Error</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {attempts.data.items.map((it) => (
                <Table.Tr key={it.id}>
                  <Table.Td className="nowrap">
                    <Time at={it.time_started} none="not yet" />
                  </Table.Td>
                  <Table.Td>
                    <Badge color={COLORS[it.status.toLowerCase()] ?? 'gray'} variant="light" tt="none">
                      {sourceLabel(it.status.toLowerCase())}
                    </Badge>
                  </Table.Td>
                  <Table.Td className="number">{formatCount(it.new_docs_indexed)}</Table.Td>
                  <Table.Td className="number">{formatCount(it.total_docs_indexed)}</Table.Td>
                  <Table.Td className="number">{formatCount(it.docs_skipped)}</Table.Td>
                  <Table.Td className="number">{formatCount(it.docs_removed_from_index)}</Table.Td>
                  <Table.Td>{it.error_msg ?? '–'}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </TableFrame>
      )}
    </section>
  )
}
