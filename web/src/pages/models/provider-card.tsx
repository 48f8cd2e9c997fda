// One provider: its address, who may use it, and its models.
import { Alert, Badge, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Alert as AlertFact, LLMProviderView, LLMProviderViews } from '../../../../src/client/schemas.ts'
import { Icon } from '../../parts/icon.tsx'
import { EndButton } from '../../parts/record-table.tsx'
import { listText, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { DeleteProvider } from './delete-provider.tsx'
import { kindTitle } from './kind-texts.ts'
import { ModelTable } from './model-table.tsx'
import { useAgents, useKinds } from './models-query.ts'

interface CardProps {
  provider: LLMProviderView
  all: LLMProviderViews
  /** The open alerts about its models. */
  failing: readonly AlertFact[]
}

export function ProviderCard({ provider, all, failing }: CardProps) {
  const t = textsOf('admin.models.card')
  const [isDeleting, setDeleting] = useState(false)
  const { id, name, is_read_only, needs_secrets } = provider
  const title = is_read_only ? t('from_settings') : name
  return (
    <section className="card" aria-label={title}>
      <header className="section-head">
        <h2 className="long-text">
          <bdi>{title}</bdi>{' '}
          {failing.length > 0 && (
            <Badge color="red" variant="light" tt="none">
              {t('failing')}
            </Badge>
          )}
        </h2>
        {!is_read_only && (
          <div className="row">
            <Button
              component={Link}
              to={`/admin/models/${id}`}
              variant="default"
              size="xs"
              aria-label={t('edit_of', { name })}
            >
              {textsOf('parts')('edit')}
            </Button>
            <EndButton
              label={textsOf('parts')('delete')}
              longLabel={t('delete_of', { name })}
              onClick={() => setDeleting(true)}
            />
          </div>
        )}
      </header>
      <Facts provider={provider} />
      <div className="models-alerts">
        {needs_secrets && (
          <Alert color="red" variant="light" icon={<Icon name="key" />} title={t('needs_secrets')}>
            {t('needs_secrets_help')}
          </Alert>
        )}
        {failing.map((it) => (
          <Alert
            key={it.id}
            color="red"
            variant="light"
            icon={<Icon name="alert" />}
            title={t.rich('model_failing', { name: it.name ?? '', it: (text) => <bdi>{text}</bdi> })}
          >
            {it.reason !== null && (
              <p className="models-line" dir="auto">
                {it.reason}
              </p>
            )}
            <p className="models-line small">{t.rich('failing_since', { time: () => <Time at={it.since} /> })}</p>
          </Alert>
        ))}
      </div>
      <ModelTable provider={provider} all={all} />
      {isDeleting && (
        <DeleteProvider
          provider={provider}
          isDefault={all.default_text?.provider_id === id}
          onClose={() => setDeleting(false)}
        />
      )}
    </section>
  )
}

function Facts({ provider }: { provider: LLMProviderView }) {
  const t = textsOf('admin.models.card')
  const kind = useKinds().data?.find((it) => it.name === provider.provider)
  const address = provider.api_base ?? kind?.default_api_base ?? null
  const kindName = kind === undefined ? provider.provider : kindTitle(kind)
  return (
    <div className="models-facts small dimmed">
      <p>
        <bdi>{address === null ? kindName : t('kind_at', { kind: kindName, address })}</bdi>
      </p>
      <p>{provider.api_key === null ? t('no_key') : t.rich('key', { key: () => <code>{provider.api_key}</code> })}</p>
      <Access provider={provider} />
      {provider.is_read_only && <p>{textsOf('admin.models')('read_only_help')}</p>}
      {provider.fallback_order !== null && <p>{t('fallback')}</p>}
    </div>
  )
}

function Access({ provider: { is_public, groups, personas } }: { provider: LLMProviderView }) {
  const t = textsOf('admin.models.card')
  const agents = useAgents().data
  const nameOf = (id: number) => agents?.find((it) => it.id === id)?.name ?? t('agent_number', { id: String(id) })
  return (
    <>
      <p>
        <bdi>
          {is_public
            ? t('everybody')
            : groups.length === 0
              ? t('only_admins')
              : t('only_groups', { groups: listText(groups.map(String)) })}
        </bdi>
      </p>
      {personas.length > 0 && (
        <p>
          <bdi>{t('only_agents', { agents: listText(personas.map(nameOf)) })}</bdi>
        </p>
      )}
    </>
  )
}
