import { useSearch } from '@tanstack/react-router'
import type { AdminPageProps } from '../../admin/admin-pages.ts'
import { DocumentList } from './document-list.tsx'
import { isById } from './document-orders.tsx'
import { DocumentPage } from './document-page.tsx'
import { Inventory } from './inventory.tsx'
import './documents.css'

const FROM = '/signed-in/admin/admin/$page/{-$id}'

export function DocumentsPage({ id }: AdminPageProps) {
  const byId = useSearch({ from: FROM, select: isById })
  if (id !== undefined) return <DocumentPage key={id} id={id} />
  return byId ? <Inventory /> : <DocumentList />
}
