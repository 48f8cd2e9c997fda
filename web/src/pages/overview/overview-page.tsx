// The administrator sees here the state of the service, its measurements over time, and what needs attention.
import { useEffect } from 'react'
import { textsOf } from '../../text/texts.ts'
import { Figures } from './figures.tsx'

export function OverviewPage() {
  const t = textsOf('admin.overview')
  useEffect(() => {
    document.title = t('document_title')
  }, [t])
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('help')}</p>
        </div>
      </div>
      <div className="stack">
        <Figures />
      </div>
    </>
  )
}
