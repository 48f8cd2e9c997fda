import { Link } from '@tanstack/react-router'
import type { AccessFinding } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { formatCount, pairLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

interface Props {
  label: string
  findings: readonly AccessFinding[]
  onAsk: (document_id: string) => void
}

export function FindingTable({ label, findings, onAsk }: Props) {
  const t = textsOf('admin.access.findings')
  return (
    <RecordTable
      label={label}
      rows={findings}
      keyOf={(it) => `${it.reason} ${subjectOf(it)} ${it.cc_pairs[0]?.id}`}
      columns={[
        { label: t('found'), className: 'long-text', cell: (it) => <Subject finding={it} onAsk={onAsk} /> },
        { label: t('reason'), className: 'long-text', cell: ({ detail }) => detail },
        { label: t('connectors'), className: 'long-text', cell: (it) => <Pairs finding={it} /> },
        { label: t('documents'), className: 'number', cell: ({ documents }) => formatCount(documents) },
      ]}
    />
  )
}

const subjectOf = ({ email, group, document_id }: AccessFinding): string => email ?? group ?? document_id ?? ''

function Subject({ finding, onAsk }: Pick<Props, 'onAsk'> & { finding: AccessFinding }) {
  const t = textsOf('admin.access.findings')
  const { email, document_id, semantic_identifier: title } = finding
  if (document_id !== null) {
    return (
      <>
        <bdi>{title}</bdi>
        <div className="small dimmed">
          <bdi>{document_id}</bdi>
        </div>
        <button type="button" className="link-button" onClick={() => onAsk(document_id)}>
          {t('ask')}
        </button>
      </>
    )
  }
  if (subjectOf(finding) === '') return t('all_documents')
  return (
    <>
      <bdi>{subjectOf(finding)}</bdi>
      {email !== null && (
        <div className="small">
          <AdminLink page="people">{t('invite')}</AdminLink>
        </div>
      )}
    </>
  )
}

const Pairs = ({ finding: { cc_pairs } }: { finding: AccessFinding }) => (
  <ul className="access-pairs">
    {cc_pairs.map((it) => (
      <li key={it.id}>
        <Link to="/admin/connector/$cc_pair_id" params={{ cc_pair_id: String(it.id) }}>
          <bdi>{pairLabel(it)}</bdi>
        </Link>
      </li>
    ))}
  </ul>
)
