import type { AdminPageProps } from '../../admin/admin-pages.ts'
import { DocumentList } from './document-list.tsx'
import { DocumentPage } from './document-page.tsx'
import './documents.css'

export const DocumentsPage = ({ id }: AdminPageProps) =>
  id === undefined ? <DocumentList /> : <DocumentPage key={id} id={id} />
