import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { readinessOf } from '../../../../src/client/readiness.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { CodeBlock } from '../../parts/copy.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { ServiceStatus } from '../connectors/service-status.tsx'
import { useOverview } from '../overview/overview-query.ts'

const REFRESH_MS = 5_000

export function Health() {
  const t = textsOf('admin.about.health')
  const documents = useOverview().data?.documents
  const ready = useQuery({
    queryKey: ['about', 'ready'],
    queryFn: ({ signal }) => readinessOf(api, { signal }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <section className="card" aria-labelledby="about-health">
      <div className="section-head">
        <h2 id="about-health">{t('title')}</h2>
        {ready.data !== undefined && (
          <Badge color={ready.data.success ? 'green' : 'red'} variant="light" tt="none" role="status">
            {ready.data.success ? t('healthy') : t('unhealthy')}
          </Badge>
        )}
      </div>
      <div className="section-note stack">
        {ready.isPending && <LoadingSkeleton lines={3} />}
        {ready.isError && <ErrorAlert error={ready.error} retry={() => void ready.refetch()} />}
        {ready.data?.success === false && (
          <p role="alert" dir="auto">
            {ready.data.message}
          </p>
        )}
        {ready.data !== undefined && <ServiceStatus documents={documents ?? undefined} />}
        <p className="dimmed small">
          {t.rich('help', { link: (text) => <AdminLink page="overview">{text}</AdminLink> })}
        </p>
        <CodeBlock text={`curl --fail-with-body '${window.location.origin}/health/ready'`} label={t('command')} />
      </div>
    </section>
  )
}
