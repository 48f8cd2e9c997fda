// The page about access: the reasons for one document, a search as another person, and the permission report.
import { useEffect, useState } from 'react'
import { PermissionReport } from './permission-report.tsx'
import { ReasonForm } from './reason-form.tsx'
import { SearchAs } from './search-as.tsx'
import './access.css'

export function AccessPage() {
  /** The document that a finding of the report asks about. */
  const [document_id, setDocumentId] = useState('')
  useEffect(() => {
    document.title = 'Access · Pharos'
  }, [])
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>Access</h1>
          <p>See who may read a document and why, what a person finds, and where permissions of sources do not fit.</p>
        </div>
      </div>
      <ReasonForm key={document_id} document_id={document_id} />
      <SearchAs />
      <PermissionReport onAsk={setDocumentId} />
    </div>
  )
}
