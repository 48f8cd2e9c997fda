// The administrator sees here the state of the service, its measurements over time, and what needs attention.
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { Figures } from './figures.tsx'
import { Measurements } from './measurements.tsx'
import { NeedsYou } from './needs-you.tsx'
import './overview.css'

export function OverviewPage() {
  const t = textsOf('admin.overview')
  useTitle(t('title'))
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('help')}</p>
        </div>
      </div>
      <div className="stack">
        <NeedsYou />
        <Figures />
        <Measurements />
      </div>
    </>
  )
}
