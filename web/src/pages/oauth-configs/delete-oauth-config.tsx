import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { deleteOauthConfig } from '../../../../src/client/operations.ts'
import type { OAuthConfigSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { listText } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { oauthConnectionsQuery, toolsOfOauthConfigQuery, useReloadOauthConfigs } from './oauth-configs-queries.ts'

export function DeleteOauthConfig({ config, onClose }: { config: OAuthConfigSnapshot; onClose: () => void }) {
  const t = textsOf('admin.oauth_configs.delete')
  const reload = useReloadOauthConfigs()
  const navigate = useNavigate()
  const tools = useQuery(toolsOfOauthConfigQuery(config.id))
  const connections = useQuery(oauthConnectionsQuery(config.id))
  const remove = useMutation({
    mutationFn: () => deleteOauthConfig(api, { oauth_config_id: config.id }),
    onSuccess: async () => {
      await navigate({ to: '/admin/$page/{-$id}', params: { page: 'oauth-configs', id: undefined } })
      await reload()
    },
  })
  const error = remove.error ?? tools.error ?? connections.error
  const isKnown = tools.data !== undefined && connections.data !== undefined
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <p className="long-text">{t.rich('help', { name: () => <bdi>{config.name}</bdi> })}</p>
      {!isKnown && error === null && <LoadingSkeleton lines={2} />}
      {isKnown && (
        <ul className="long-text">
          <li>{t('connections', { count: connections.data.length })}</li>
          <li>
            {tools.data.length === 0
              ? t('no_tools')
              : t.rich('tools', { names: () => <bdi>{listText(tools.data.map((it) => it.name))}</bdi> })}
          </li>
        </ul>
      )}
      {error !== null && <ErrorAlert error={error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button color="red" loading={remove.isPending} disabled={!isKnown} onClick={() => remove.mutate()}>
          {t('delete')}
        </Button>
      </div>
    </Dialog>
  )
}
