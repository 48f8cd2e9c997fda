import { useEffect } from 'react'
import { EmptyState } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

export function NotFound() {
  const t = textsOf('not_found')
  useEffect(() => {
    document.title = t('document_title')
  }, [t])
  return (
    <EmptyState icon="document" title={t('title')} heading="h1">
      {t.rich('help', { link: (text) => <a href="/">{text}</a> })}
    </EmptyState>
  )
}
