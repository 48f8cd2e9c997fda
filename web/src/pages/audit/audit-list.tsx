import { Badge, Table } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import type { AuditEntry } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { exactTime } from '../../parts/text.tsx'
import type en from '../../text/en.json'
import { textsOf } from '../../text/texts.ts'
import { auditSentence } from './sentence.ts'

export function AuditList({ entries }: { entries: readonly AuditEntry[] }) {
  const t = textsOf('admin.audit.list')
  return (
    <TableFrame label={t('title')}>
      <Table verticalSpacing="xs" horizontalSpacing="md" className="audit-table">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('time')}</Table.Th>
            <Table.Th>{t('what')}</Table.Th>
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
}

function Sentence({ entry }: { entry: AuditEntry }) {
  const t = textsOf('admin.audit.filters.outcomes')
  const { outcome } = entry
  return (
    <div>
      {auditSentence(entry).map(({ is, text }) => (
        <Fragment key={`${is} ${text}`}>
          {is === 'text' ? text : <bdi className={is === 'actor' ? 'audit-actor' : undefined}>{text}</bdi>}
        </Fragment>
      ))}{' '}
      {outcome !== 'success' && (
        <Badge variant="light" tt="none" color={outcome === 'refused' ? 'yellow' : 'red'}>
          {t(outcome)}
        </Badge>
      )}
    </div>
  )
}

function Details({ entry }: { entry: AuditEntry }) {
  const t = textsOf('admin.audit.list')
  return (
    <details className="small">
      <summary className="dimmed">{t('details')}</summary>
      <dl className="audit-facts">
        {factsOf(entry)
          .filter(([, value]) => value !== null && value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{t(`facts.${name}`)}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
      </dl>
    </details>
  )
}

type Fact = keyof typeof en.admin.audit.list.facts

const factsOf = (entry: AuditEntry): [name: Fact, value: ReactNode][] => [
  ['action', entry.action],
  ['object', objectLink(entry)],
  ['fields', entry.fields.join(', ')],
  ['reason', entry.error_code],
  ['who', entry.actor_id],
  ['key', entry.api_key_id],
  ['request', entry.request_id],
  ['entry', entry.id],
  ['hash', entry.hash],
]

function objectLink({ object_type, object_id, object_email }: AuditEntry): ReactNode {
  if (object_id === null) return null
  if (object_type === 'user_group' && /^\d+$/.test(object_id))
    return (
      <AdminLink page="groups" id={object_id}>
        {object_id}
      </AdminLink>
    )
  return object_email === null
    ? object_id
    : textsOf('admin.audit.list')('object_and_address', { email: object_email, id: object_id })
}
