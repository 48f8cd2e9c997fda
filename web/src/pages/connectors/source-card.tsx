// The connectors of one source, as a table of ten rows a page.
import { Pagination, Table } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ConnectorIndexingStatus, SourceIndexingStatus } from '../../../../src/client/schemas.ts'
import { isKeyOf } from '../../parts/is-key-of.ts'
import { TableFrame } from '../../parts/table-frame.tsx'
import { pairLabel, sourceLabel, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { ProgressBar, StatusBadge, StatusSentence } from './status.tsx'

interface Props {
  listing: SourceIndexingStatus
  onPage: (page: number) => void
}

export function SourceCard({ listing, onPage }: Props) {
  const t = textsOf('admin.connectors')
  const { source, summary, indexing_statuses, current_page, total_pages } = listing
  const id = `source-${source}`
  const label = sourceLabel(source)
  return (
    <section className="card source" aria-labelledby={id}>
      <header>
        <h2 id={id}>
          <bdi>{label}</bdi>
        </h2>
        <p className="dimmed small">
          {t('summary', {
            active: summary.active_connectors,
            total: summary.total_connectors,
            public: summary.public_connectors,
            documents: summary.total_docs_indexed,
          })}
        </p>
      </header>
      <TableFrame label={t('connectors_of', { source: label })}>
        <Table verticalSpacing="sm" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th className="col-name">{t('name')}</Table.Th>
              <Table.Th className="col-state">{t('state')}</Table.Th>
              <Table.Th className="col-progress">{t('documents')}</Table.Th>
              <Table.Th className="col-access">{t('access')}</Table.Th>
              <Table.Th className="col-time">{t('last_success')}</Table.Th>
              <Table.Th className="col-time">{t('next_run')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {indexing_statuses.map((it) => (
              <ConnectorRow key={it.cc_pair_id} status={it} />
            ))}
          </Table.Tbody>
        </Table>
      </TableFrame>
      {total_pages > 1 && (
        <nav className="section-end" aria-label={t('pages_of', { source: label })}>
          <Pagination
            value={current_page}
            onChange={onPage}
            total={total_pages}
            size="sm"
            getItemProps={(it) => ({ 'aria-label': t('page', { page: it }) })}
            getControlProps={(it) => ({ 'aria-label': it === 'next' ? t('next_page') : t('previous_page') })}
          />
        </nav>
      )}
    </section>
  )
}

const ACCESS = { public: true, private: true, sync: true } as const

function ConnectorRow({ status }: { status: ConnectorIndexingStatus }) {
  const t = textsOf('admin.connectors')
  const { cc_pair_id, name, access_type, last_success, next_run_at } = status
  return (
    <Table.Tr>
      <Table.Td>
        <Link to="/admin/connector/$cc_pair_id" params={{ cc_pair_id: String(cc_pair_id) }} className="source-name">
          <bdi>{pairLabel({ id: cc_pair_id, name })}</bdi>
        </Link>
        <div className="small dimmed">
          <StatusSentence status={status} />
        </div>
      </Table.Td>
      <Table.Td>
        <StatusBadge status={status} />
      </Table.Td>
      <Table.Td>
        <ProgressBar status={status} />
      </Table.Td>
      <Table.Td>{isKeyOf(ACCESS, access_type) ? t(`access_types.${access_type}`) : access_type}</Table.Td>
      <Table.Td className="nowrap">
        <Time at={last_success} />
      </Table.Td>
      <Table.Td className="nowrap">
        <Time at={next_run_at} none="–" />
      </Table.Td>
    </Table.Tr>
  )
}
