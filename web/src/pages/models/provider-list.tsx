// The models in use, the providers, and what they cost in tokens.
import { Icon } from '../../parts/icon.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { useAlerts } from '../overview/alerts-query.ts'
import { ChooseKind } from './choose-kind.tsx'
import { DefaultModels } from './default-models.tsx'
import { useKinds, useProviders } from './models-query.ts'
import { ProviderCard } from './provider-card.tsx'
import { Usage } from './usage.tsx'

export function ProviderList() {
  const t = textsOf('admin.models')
  const providers = useProviders()
  const alerts = useAlerts()
  useTitle(t('title'))
  const isEmpty = providers.data?.providers.length === 0
  const failing = (alerts.data?.open ?? []).filter((it) => it.kind === 'model_failing')
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
        <LinkButton
          to="/admin/$page/{-$id}"
          params={{ page: 'models', id: 'add' }}
          leftSection={<Icon name="plus" size={16} />}
        >
          {t('add')}
        </LinkButton>
      </div>
      <div className="stack">
        {providers.isError && <ErrorAlert error={providers.error} retry={() => void providers.refetch()} />}
        {providers.isPending && <LoadingSkeleton lines={6} />}
        {isEmpty && <FirstModel />}
        {providers.data !== undefined && !isEmpty && (
          <>
            <DefaultModels all={providers.data} />
            {providers.data.providers.map((it) => (
              <ProviderCard
                key={it.id}
                provider={it}
                all={providers.data}
                failing={failing.filter(({ object_id }) => object_id.startsWith(`${it.id}/`))}
              />
            ))}
          </>
        )}
        {providers.data !== undefined && <Usage />}
      </div>
    </>
  )
}

function FirstModel() {
  const t = textsOf('admin.models.empty')
  const kinds = useKinds()
  return (
    <section className="stack" aria-labelledby="first-model">
      <div className="card">
        <EmptyState icon="chat" title={t('title')}>
          {t('help')}
        </EmptyState>
      </div>
      <h2 id="first-model" className="models-heading">
        {t('choose')}
      </h2>
      {kinds.data !== undefined && <ChooseKind kinds={kinds.data} />}
    </section>
  )
}
