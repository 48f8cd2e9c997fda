// The directory that manages people and groups by SCIM: its address, its token, and removals that wait.
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ScimStatus } from '../../../../src/client/schemas.ts'
import { CodeBlock } from '../../parts/copy.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount, Time } from '../../parts/text.tsx'
import { HeldRemovals } from './held-removals.tsx'
import { LinkAdministrator } from './link-administrator.tsx'
import { scimStatusQuery } from './queries.ts'
import { ScimTokenCard } from './token-card.tsx'

export function ScimPage() {
  const status = useQuery(scimStatusQuery)
  useEffect(() => {
    document.title = 'SCIM · Pharos'
  }, [])
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>Directory</h1>
          <p>A directory such as Entra ID or Okta makes, changes and removes people and groups by SCIM.</p>
        </div>
      </div>
      {status.isPending && <LoadingSkeleton lines={6} />}
      {status.isError && <ErrorAlert error={status.error} retry={() => void status.refetch()} />}
      {status.data !== undefined && (
        <>
          <HeldRemovals />
          <Connection status={status.data} />
          <ScimTokenCard token={status.data.token} />
          <LinkAdministrator />
        </>
      )}
    </div>
  )
}

function Connection({ status }: { status: ScimStatus }) {
  const url = status.url.startsWith('/') ? window.location.origin + status.url : status.url
  return (
    <section className="card card-pad stack" aria-labelledby="connection">
      <h2 id="connection">Connection</h2>
      <CodeBlock text={url} label="The address for the directory" isWord />
      <p>
        {formatCount(status.users)} people ({formatCount(status.active_users)} active) and {formatCount(status.groups)}{' '}
        groups are managed by the directory.
      </p>
      <p>
        Last request: <Time at={status.token?.last_used_at ?? null} />
      </p>
    </section>
  )
}
