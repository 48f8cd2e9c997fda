// Says that queries are not recorded or not shown, and which setting decides that.
import { Alert } from '@mantine/core'
import type { QueryReport } from '../../../../src/client/schemas.ts'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import { useSettings } from './report-query.ts'

export function PrivacyNotes({ report }: { report: QueryReport | undefined }) {
  const t = textsOf('admin.analytics.privacy')
  const settings = useSettings().data
  if (settings === undefined || report === undefined) return null
  const { recorded_query_retention_days: retention } = settings
  const { queries, searches, min_people } = report.withheld
  const isOff = retention === 0
  return (
    <>
      {isOff && (
        <Alert color="yellow" variant="light" role="status" icon={<Icon name="alert" />} title={t('off')}>
          {t('off_help')}
        </Alert>
      )}
      {min_people === null && (
        <Alert color="yellow" variant="light" role="status" icon={<Icon name="alert" />} title={t('hidden')}>
          {t('hidden_help')}
        </Alert>
      )}
      {!isOff && <p className="small dimmed">{t('retention', { days: retention })}</p>}
      {min_people !== null && queries > 0 && (
        <p className="small dimmed">{t('withheld', { queries, searches, people: min_people })}</p>
      )}
      {!report.is_complete && <p className="small dimmed">{t('incomplete')}</p>}
    </>
  )
}
