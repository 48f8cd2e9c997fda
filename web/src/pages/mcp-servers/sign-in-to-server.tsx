// Sends the browser to the provider of an MCP server, which sends it back to `returnPath`.
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { startMcpOauthFlow } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { safeHref } from '../../parts/safe-link.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

interface Props {
  id: number
  returnPath: string
  isAgain: boolean
  size?: 'xs' | 'sm'
}

export function SignInToServer({ id, returnPath, isAgain, size = 'sm' }: Props) {
  const t = textsOf('account.connected')
  const start = useMutation({
    mutationFn: async () => {
      const { oauth_url } = await startMcpOauthFlow(api, { body: { server_id: id, return_path: returnPath } })
      const href = safeHref(oauth_url)
      if (href !== undefined) window.location.assign(href)
    },
  })
  return (
    <>
      {start.isError && <ErrorAlert error={start.error} />}
      <Button
        size={size}
        variant="default"
        loading={start.isPending}
        onClick={() => start.mutate()}
        leftSection={<Icon name="open" size={15} />}
      >
        {isAgain ? t('sign_in_again') : t('sign_in')}
      </Button>
    </>
  )
}
