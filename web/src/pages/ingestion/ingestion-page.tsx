import { useEffect } from 'react'
import { hasPermission, useMe } from '../../session.ts'
import { ApiKeys } from './api-keys.tsx'
import { PushExample } from './push-example.tsx'
import { Receipts } from './receipts.tsx'
import './ingestion.css'

export function IngestionPage() {
  const me = useMe()
  useEffect(() => {
    document.title = 'Ingestion · Pharos'
  }, [])
  return (
    <>
      <div className="page-head">
        <div>
          <h1>Ingestion</h1>
          <p>Send documents through the API. Every document gets a receipt that tells you when it is searchable.</p>
        </div>
      </div>
      <div className="stack">
        <PushExample />
        <ApiKeys isAdministrator={hasPermission(me, 'admin')} />
        <Receipts />
      </div>
    </>
  )
}
