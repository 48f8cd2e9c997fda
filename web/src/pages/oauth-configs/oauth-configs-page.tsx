// OAuth configurations: with which provider people connect their account for a tool.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { OAuthConfigSnapshot } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import type { AdminPageProps } from '../../admin/admin-pages.ts'
import { Icon } from '../../parts/icon.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount } from '../../parts/text.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import '../tools/tools.css'
import { OauthConfigForm } from './oauth-config-form.tsx'
import { OauthConfigPage } from './oauth-config-page.tsx'
import { oauthConfigsQuery } from './oauth-configs-queries.ts'

export const OauthConfigsPage = ({ id }: AdminPageProps) =>
  id === undefined ? <OauthConfigList /> : <OauthConfigPage key={id} id={id} />

function OauthConfigList() {
  const t = textsOf('admin.oauth_configs')
  const navigate = useNavigate()
  const [isCreating, setIsCreating] = useState(false)
  const configs = useQuery(oauthConfigsQuery)
  useTitle(t('title'))
  return (
    <>
      <PageHead title={t('title')} help={t('help')}>
        <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setIsCreating(true)}>
          {t('new')}
        </Button>
      </PageHead>
      {configs.isError && <ErrorAlert error={configs.error} retry={() => void configs.refetch()} />}
      {configs.isPending && <LoadingSkeleton lines={5} />}
      {configs.data?.length === 0 && (
        <div className="card">
          <EmptyState icon="key" title={t('empty')}>
            {t('empty_help')}
          </EmptyState>
        </div>
      )}
      {configs.data !== undefined && configs.data.length > 0 && (
        <div className="card">
          <ConfigTable configs={configs.data} />
        </div>
      )}
      {isCreating && (
        <OauthConfigForm
          onClose={() => setIsCreating(false)}
          onDone={({ id }) =>
            void navigate({ to: '/admin/$page/{-$id}', params: { page: 'oauth-configs', id: String(id) } })
          }
        />
      )}
    </>
  )
}

function ConfigTable({ configs }: { configs: readonly OAuthConfigSnapshot[] }) {
  const t = textsOf('admin.oauth_configs')
  return (
    <RecordTable
      label={t('title')}
      rows={configs}
      keyOf={({ id }) => id}
      columns={[
        {
          label: textsOf('parts')('name'),
          className: 'long-text',
          cell: ({ id, name }) => (
            <AdminLink page="oauth-configs" id={String(id)}>
              <bdi>{name}</bdi>
            </AdminLink>
          ),
        },
        {
          label: t('provider'),
          className: 'long-text',
          cell: ({ authorization_url: url }) => <bdi>{URL.parse(url)?.host ?? url}</bdi>,
        },
        {
          label: t('client'),
          className: 'nowrap',
          cell: (it) => (it.has_client_credentials ? t('complete') : t('incomplete')),
        },
        { label: t('tools'), className: 'number', cell: (it) => formatCount(it.tool_count) },
      ]}
    />
  )
}
