import type { ReactNode } from 'react'
import type { QueryReport } from '../../../../src/client/schemas.ts'
import { formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { formatValue } from '../overview/format-value.ts'

export function Figures({ report }: { report: QueryReport }) {
  const t = textsOf('admin.analytics.figures')
  const { searches, empty, answered, slow, latency_ms } = report
  return (
    <dl className="facts">
      <Figure label={t('searches')}>{formatCount(searches)}</Figure>
      <Figure label={t('answered')}>{t('share', { count: answered, share: answered / searches })}</Figure>
      <Figure label={t('empty')}>{t('share', { count: empty, share: empty / searches })}</Figure>
      <Figure label={t('slow')}>{t('share', { count: slow, share: slow / searches })}</Figure>
      {latency_ms !== null && (
        <>
          <Figure label={t('median')}>{formatValue('milliseconds', latency_ms.p50)}</Figure>
          <Figure label={t('p95')}>{formatValue('milliseconds', latency_ms.p95)}</Figure>
          <Figure label={t('p99')}>{formatValue('milliseconds', latency_ms.p99)}</Figure>
        </>
      )}
    </dl>
  )
}

const Figure = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)
