import { Badge, Table } from '@mantine/core'
import type { ReactNode } from 'react'
import type { AuditEntry } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { exactTime } from '../../parts/text.tsx'
import { auditSentence } from './sentence.ts'

export const AuditList = ({ entries }: { entries: readonly AuditEntry[] }) => (
  <TableFrame label="Entries">
    <Table verticalSpacing="xs" horizontalSpacing="md" className="audit-table">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Time</Table.Th>
          <Table.Th>What happened</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {entries.map((it) => (
          <Table.Tr key={it.id}>
            <Table.Td className="audit-time">
              <time dateTime={it.at}>{exactTime(it.at)}</time>
            </Table.Td>
            <Table.Td className="long-text">
              <Sentence entry={it} />
              <Details entry={it} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </TableFrame>
)

function Sentence({ entry }: { entry: AuditEntry }) {
  const { who, what } = auditSentence(entry)
  return (
    <div>
      <bdi>
        <strong>{who}</strong>
      </bdi>{' '}
      <bdi>{what}</bdi>{' '}
      {entry.outcome !== 'success' && (
        <Badge variant="light" tt="none" color={entry.outcome === 'refused' ? 'yellow' : 'red'}>
          {entry.outcome === 'refused' ? 'Refused' : 'Failed'}
        </Badge>
      )}
    </div>
  )
}

function Details({ entry }: { entry: AuditEntry }) {
  const facts: [name: string, value: ReactNode][] = [
    ['Action', entry.action],
    ['Object', objectLink(entry)],
    ['Fields', entry.fields.join(', ')],
    ['Reason', entry.error_code],
    ['Who', entry.actor_id],
    ['Key', entry.api_key_id],
    ['Request', entry.request_id],
    ['Entry', entry.id],
    ['Hash', entry.hash],
  ]
  return (
    <details className="small">
      <summary className="dimmed">Details</summary>
      <dl className="audit-facts">
        {facts
          .filter(([, value]) => value !== null && value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
      </dl>
    </details>
  )
}

function objectLink({ object_type, object_id, object_email }: AuditEntry): ReactNode {
  if (object_id === null) return null
  if (object_type === 'user_group' && /^\d+$/.test(object_id))
    return (
      <AdminLink page="groups" id={object_id}>
        {object_id}
      </AdminLink>
    )
  return object_email === null ? object_id : `${object_email} (${object_id})`
}
