// One OAuth configuration: its client, the tools that use it, and who has connected their account.
import { Button } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OAuthConfigSnapshot } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { isNotFound } from '../../api.ts'
import { CodeBlock } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { listText, Time } from '../../parts/text.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { readId } from '../tools/read-id.ts'
import { DeleteOauthConfig } from './delete-oauth-config.tsx'
import { OauthConfigForm } from './oauth-config-form.tsx'
import { oauthConfigQuery, redirectUri, toolsOfOauthConfigQuery } from './oauth-configs-queries.ts'
import { OauthConnections } from './oauth-connections.tsx'

export function OauthConfigPage({ id: text }: { id: string }) {
  const t = textsOf('admin.oauth_configs')
  const id = readId(text)
  const config = useQuery({ ...oauthConfigQuery(id ?? 0), ...(id === null && { queryFn: skipToken }) })
  useTitle(config.data?.name ?? t('title'))
  if (id === null || isNotFound(config.error))
    return (
      <EmptyState icon="key" title={t('missing')} heading="h1">
        {t.rich('missing_help', { link: (it) => <AdminLink page="oauth-configs">{it}</AdminLink> })}
      </EmptyState>
    )
  return (
    <>
      <AdminLink page="oauth-configs" className="tool-back">
        <Icon name="back" size={16} /> {t('title')}
      </AdminLink>
      {config.isError && <ErrorAlert error={config.error} retry={() => void config.refetch()} />}
      {config.isPending && <LoadingSkeleton lines={8} />}
      {config.data !== undefined && <Details config={config.data} />}
    </>
  )
}

function Details({ config }: { config: OAuthConfigSnapshot }) {
  const [dialog, setDialog] = useState<'change' | 'delete' | null>(null)
  const close = () => setDialog(null)
  return (
    <>
      <div className="page-head">
        <h1 className="long-text">
          <bdi>{config.name}</bdi>
        </h1>
        <div className="row">
          <Button variant="default" onClick={() => setDialog('change')}>
            {textsOf('admin.tools')('change')}
          </Button>
          <Button variant="default" onClick={() => setDialog('delete')}>
            {textsOf('parts')('delete')}
          </Button>
        </div>
      </div>
      <div className="stack">
        <Client config={config} />
        <ToolsOfConfig id={config.id} />
        <OauthConnections id={config.id} />
      </div>
      {dialog === 'change' && <OauthConfigForm config={config} onClose={close} />}
      {dialog === 'delete' && <DeleteOauthConfig config={config} onClose={close} />}
    </>
  )
}

function Client({ config }: { config: OAuthConfigSnapshot }) {
  const t = textsOf('admin.oauth_configs')
  const params = Object.entries(config.additional_params).map(([name, value]) => `${name}=${value}`)
  const facts = [
    [t('form.authorization_url'), config.authorization_url],
    [t('form.token_url'), config.token_url],
    [t('form.client_id'), config.client_id ?? t('none')],
    [t('form.client_secret'), config.has_client_credentials ? t('secret_stored') : t('secret_missing')],
    [t('form.scopes'), config.scopes === null || config.scopes.length === 0 ? t('none') : config.scopes.join(' ')],
    [t('form.params'), params.length === 0 ? t('none') : listText(params)],
  ] as const
  return (
    <section className="card card-pad stack" aria-label={t('client')}>
      <dl className="tool-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
        <div>
          <dt>{t('changed')}</dt>
          <dd>
            <Time at={config.updated_at} />
          </dd>
        </div>
      </dl>
      <div>
        <p className="small dimmed">{t('redirect_help')}</p>
        <CodeBlock text={redirectUri()} label={t('redirect')} isWord />
      </div>
    </section>
  )
}

function ToolsOfConfig({ id }: { id: number }) {
  const t = textsOf('admin.oauth_configs')
  const tools = useQuery(toolsOfOauthConfigQuery(id))
  return (
    <section className="card card-pad" aria-labelledby="tools-of-config">
      <h2 id="tools-of-config">{t('used_by')}</h2>
      {tools.isError && <ErrorAlert error={tools.error} retry={() => void tools.refetch()} />}
      {tools.isPending && <LoadingSkeleton lines={1} />}
      {tools.data?.length === 0 && <p className="dimmed">{t('used_by_none')}</p>}
      {tools.data !== undefined && tools.data.length > 0 && (
        <ul className="long-text">
          {tools.data.map((it) => (
            <li key={it.id}>
              <AdminLink page="tools" id={String(it.id)}>
                <bdi>{it.display_name}</bdi>
              </AdminLink>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
