import { AdminLink } from '../../admin/admin-link.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'

/** Instead of a text that the person may not read. */
export function TextClosed() {
  const t = textsOf('admin.documents.text')
  const isAdministrator = hasPermission(useMe(), 'admin')
  return (
    <div className="card">
      <EmptyState icon="key" title={t('closed')}>
        {isAdministrator
          ? t.rich('closed_help', { link: (text) => <AdminLink page="access">{text}</AdminLink> })
          : t('closed_to_you')}
      </EmptyState>
    </div>
  )
}
