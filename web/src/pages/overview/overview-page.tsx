// The administrator sees here the state of the service, its measurements over time, and what needs attention. A curator
// sees what needs attention at the connectors that they manage.
import { useTitle } from '../../parts/use-title.ts'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { Figures } from './figures.tsx'
import { LanguageNotice } from './language-notice.tsx'
import { Measurements } from './measurements.tsx'
import { NeedsYou } from './needs-you.tsx'
import './overview.css'

export function OverviewPage() {
  const t = textsOf('admin.overview')
  const isAdministrator = hasPermission(useMe(), 'admin')
  useTitle(t('title'))
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{isAdministrator ? t('help') : t('help_curator')}</p>
        </div>
      </div>
      <div className="stack">
        <NeedsYou />
        {isAdministrator && (
          <>
            <LanguageNotice />
            <Figures />
            <Measurements />
          </>
        )}
      </div>
    </>
  )
}
