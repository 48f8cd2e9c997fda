// The program itself: version, health, metrics, the description of the API and the licences of its packages.
import { useQuery } from '@tanstack/react-query'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { configurationQuery } from '../settings/configuration-query.ts'
import { Health } from './health.tsx'
import { Licences } from './licences.tsx'
import { Metrics } from './metrics.tsx'
import { Version } from './version.tsx'
import './about.css'

export function AboutPage() {
  const t = textsOf('admin.about')
  const configuration = useQuery(configurationQuery)
  useTitle(t('title'))
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
      </div>
      {configuration.isPending && <LoadingSkeleton lines={5} />}
      {configuration.isError && <ErrorAlert error={configuration.error} retry={() => void configuration.refetch()} />}
      {configuration.data !== undefined && <Version program={configuration.data.program} />}
      <Health />
      {configuration.data !== undefined && <Metrics settings={configuration.data.operator_settings} />}
      <Description />
      <Licences />
    </div>
  )
}

function Description() {
  const t = textsOf('admin.about.api')
  return (
    <section className="card card-pad stack" aria-labelledby="about-api">
      <h2 id="about-api">{t('title')}</h2>
      <p>
        {t.rich('help', {
          docs: (text) => <a href="/docs">{text}</a>,
          file: (text) => <a href="/openapi.json">{text}</a>,
        })}
      </p>
    </section>
  )
}
