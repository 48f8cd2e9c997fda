// The two lists of documents: newest first, and by id.
import { Link } from '@tanstack/react-router'
import { textsOf } from '../../text/texts.ts'

const ORDERS = ['newest', 'by_id'] as const

export const isById = (search: Record<string, unknown>): boolean => search.order === 'by_id'

export function DocumentOrders() {
  const t = textsOf('admin.documents')
  return (
    <nav className="document-parts" aria-label={t('orders')}>
      {ORDERS.map((order) => (
        <Link
          key={order}
          to="/admin/$page/{-$id}"
          params={{ page: 'documents', id: undefined }}
          search={order === 'newest' ? {} : { order }}
          activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {t(order)}
        </Link>
      ))}
    </nav>
  )
}
