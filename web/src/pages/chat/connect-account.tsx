// Starts the OAuth flow for a tool that needs the user's account, and returns to this chat.
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { startOauthFlow } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { safeHref } from '../../parts/safe-link.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

export function ConnectAccount({ oauth_config_id }: { oauth_config_id: number }) {
  const connect = useMutation({
    mutationFn: async () => {
      const return_path = `${window.location.pathname}${window.location.search}`
      const { authorization_url } = await startOauthFlow(api, { body: { oauth_config_id, return_path } })
      const href = safeHref(authorization_url)
      if (href !== undefined) window.location.assign(href)
    },
  })
  return (
    <>
      {connect.error !== null && <ErrorAlert error={connect.error} />}
      <Button
        size="xs"
        variant="default"
        loading={connect.isPending}
        onClick={() => connect.mutate()}
        leftSection={<Icon name="open" size={15} />}
      >
        {textsOf('chat.steps')('connect')}
      </Button>
    </>
  )
}
