// Providers of language models: the list, the choice of a kind, and the form of one provider.
import type { ReactNode } from 'react'
import { AdminLink } from '../../admin/admin-link.tsx'
import type { AdminPageProps } from '../../admin/admin-pages.ts'
import { Icon } from '../../parts/icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { ChooseKind } from './choose-kind.tsx'
import { kindTitle } from './kind-texts.ts'
import { useKinds, useProviders } from './models-query.ts'
import { ProviderForm } from './provider-form.tsx'
import { ProviderList } from './provider-list.tsx'
import './models.css'

const ADD = 'add'

/** `add` chooses a kind, `add-openai` has the form of a new provider, and a number is the id of a provider. */
export function ModelsPage({ id }: AdminPageProps) {
  if (id === undefined) return <ProviderList />
  if (id === ADD) return <ChooseKindPage />
  return id.startsWith(`${ADD}-`) ? <NewProvider name={id.slice(ADD.length + 1)} /> : <EditProvider id={id} />
}

function ChooseKindPage() {
  const t = textsOf('admin.models')
  const kinds = useKinds()
  return (
    <Frame title={t('add')} help={t('choose_kind')}>
      {kinds.isError && <ErrorAlert error={kinds.error} retry={() => void kinds.refetch()} />}
      {kinds.isPending && <LoadingSkeleton lines={6} />}
      {kinds.data !== undefined && <ChooseKind kinds={kinds.data} />}
    </Frame>
  )
}

function NewProvider({ name }: { name: string }) {
  const t = textsOf('admin.models')
  const kinds = useKinds()
  const providers = useProviders()
  const kind = kinds.data?.find((it) => it.name === name)
  const error = kinds.error ?? providers.error
  const isUnknown = kinds.data !== undefined && kind === undefined
  return (
    <Frame title={kind === undefined ? t('add') : t('add_kind', { kind: kindTitle(kind) })}>
      {error !== null && (
        <ErrorAlert error={error} retry={() => void Promise.all([kinds.refetch(), providers.refetch()])} />
      )}
      {(kinds.isPending || providers.isPending) && error === null && <LoadingSkeleton lines={8} />}
      {isUnknown && (
        <div className="card">
          <EmptyState icon="search" title={t('unknown_kind')} />
        </div>
      )}
      {kind !== undefined && providers.data !== undefined && (
        <ProviderForm kind={kind} provider={null} hasDefault={providers.data.default_text !== null} />
      )}
    </Frame>
  )
}

function EditProvider({ id }: { id: string }) {
  const t = textsOf('admin.models')
  const kinds = useKinds()
  const providers = useProviders()
  const provider = providers.data?.providers.find((it) => String(it.id) === id)
  const error = kinds.error ?? providers.error
  return (
    <Frame title={provider === undefined ? t('title') : t('edit_provider', { name: provider.name })}>
      {error !== null && (
        <ErrorAlert error={error} retry={() => void Promise.all([kinds.refetch(), providers.refetch()])} />
      )}
      {(kinds.isPending || providers.isPending) && error === null && <LoadingSkeleton lines={8} />}
      {providers.data !== undefined && (provider === undefined || provider.is_read_only) && (
        <div className="card">
          <EmptyState icon="search" title={t(provider === undefined ? 'gone' : 'read_only_title')}>
            {provider === undefined ? t('gone_help') : t('read_only_help')}
          </EmptyState>
        </div>
      )}
      {provider !== undefined && !provider.is_read_only && kinds.data !== undefined && (
        <ProviderForm
          key={provider.id}
          kind={kinds.data.find((it) => it.name === provider.provider) ?? null}
          provider={provider}
          hasDefault
        />
      )}
    </Frame>
  )
}

function Frame({ title, help, children }: { title: string; help?: string; children: ReactNode }) {
  useTitle(title)
  return (
    <>
      <p className="models-back">
        <AdminLink page="models" className="models-back-link">
          <Icon name="back" size={16} /> {textsOf('admin.models')('back')}
        </AdminLink>
      </p>
      <div className="page-head">
        <div>
          <h1>
            <bdi>{title}</bdi>
          </h1>
          {help !== undefined && <p>{help}</p>}
        </div>
      </div>
      <div className="stack">{children}</div>
    </>
  )
}
