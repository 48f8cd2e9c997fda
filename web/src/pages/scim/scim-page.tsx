// The directory that manages people and groups by SCIM: its address, its token, and removals that wait.
import { useQuery } from '@tanstack/react-query'
import type { ScimStatus } from '../../../../src/client/schemas.ts'
import { CodeBlock } from '../../parts/copy.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { HeldRemovals } from './held-removals.tsx'
import { LinkAdministrator } from './link-administrator.tsx'
import { scimStatusQuery } from './queries.ts'
import { ScimTokenCard } from './token-card.tsx'

export function ScimPage() {
  const t = textsOf('admin.scim')
  const status = useQuery(scimStatusQuery)
  useTitle(t('title'))
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
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
  const t = textsOf('admin.scim')
  const { users, active_users: active, groups } = status
  const url = status.url.startsWith('/') ? window.location.origin + status.url : status.url
  return (
    <section className="card card-pad stack" aria-labelledby="connection">
      <h2 id="connection">{t('connection')}</h2>
      <CodeBlock text={url} label={t('address')} isWord />
      <p>{t('managed', { users, active, groups })}</p>
      <p>{t.rich('last_request', { time: () => <Time at={status.token?.last_used_at ?? null} /> })}</p>
    </section>
  )
}
