import { useEffect } from 'react'
import { Empty } from '../parts/states.tsx'
import { may, useMe } from '../session.ts'
import { Keys } from './keys.tsx'
import { Push } from './push.tsx'
import { Receipts } from './receipts.tsx'
import './ingestion.css'

export function IngestionPage() {
  const me = useMe()
  useEffect(() => {
    document.title = 'Ingestion · Pharos'
  }, [])
  if (me !== undefined && !may(me, 'ingest')) return <Empty icon="key" title="This key may not push documents" />
  return (
    <>
      <div className="page-head">
        <div>
          <h1>Ingestion</h1>
          <p>Programs push documents here. What is accepted is on the disk; its receipt says when it can be found.</p>
        </div>
      </div>
      <div className="stack">
        <Push />
        <Keys isAdministrator={may(me, 'admin')} />
        <Receipts />
      </div>
    </>
  )
}
