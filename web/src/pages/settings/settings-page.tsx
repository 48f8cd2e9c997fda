// Settings for administrators: what they change while the service runs, and what the operator set at its start.
import { useQuery } from '@tanstack/react-query'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { configurationQuery } from './configuration-query.ts'
import { OperatorSettings } from './operator-settings.tsx'
import { RestoreDefaults } from './restore-defaults.tsx'
import { SettingsForm } from './settings-form.tsx'
import './settings.css'

export function SettingsPage() {
  const t = textsOf('admin.settings')
  const configuration = useQuery(configurationQuery)
  useTitle(t('title'))
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
        {configuration.data !== undefined && <RestoreDefaults configuration={configuration.data} />}
      </div>
      {configuration.isPending && <LoadingSkeleton lines={10} />}
      {configuration.isError && <ErrorAlert error={configuration.error} retry={() => void configuration.refetch()} />}
      {configuration.data !== undefined && (
        <div className="stack">
          <SettingsForm configuration={configuration.data} />
          <OperatorSettings settings={configuration.data.operator_settings} />
        </div>
      )}
    </>
  )
}
