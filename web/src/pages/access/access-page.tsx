// The page about access: the reasons for one document, a search as another person, and the permission report.
import { useState } from 'react'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { PermissionReport } from './permission-report.tsx'
import { ReasonForm } from './reason-form.tsx'
import { SearchAs } from './search-as.tsx'
import './access.css'

export function AccessPage() {
  const t = textsOf('admin.access')
  /** The document that a finding of the report asks about. */
  const [document_id, setDocumentId] = useState('')
  useTitle(t('title'))
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
      </div>
      <ReasonForm key={document_id} document_id={document_id} />
      <SearchAs />
      <PermissionReport onAsk={setDocumentId} />
    </div>
  )
}
