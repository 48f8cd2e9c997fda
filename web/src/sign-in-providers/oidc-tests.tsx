// The addresses that are registered at a provider with OpenID Connect, and the buttons that try it.
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { checkSignInProvider, testSignInProvider } from '../../../src/client/operations.ts'
import type { SignInProviderSnapshot } from '../../../src/client/schemas.ts'
import { api } from '../api.ts'
import { CopyButton } from '../parts/copy.tsx'
import { ErrorAlert } from '../parts/states.tsx'

export function OidcTests({ provider }: { provider: SignInProviderSnapshot }) {
  const path = { provider_id: provider.id }
  const check = useMutation({ mutationFn: () => checkSignInProvider(api, path) })
  const test = useMutation({
    mutationFn: () => testSignInProvider(api, path),
    onSuccess: ({ authorization_url }) => window.location.assign(authorization_url),
  })
  const error = check.error ?? test.error
  return (
    <>
      <Address label="Redirect URI" text={provider.redirect_uri} />
      <Address label="Back-channel logout URI" text={provider.backchannel_logout_uri} />
      <div className="row">
        <Button variant="default" size="xs" loading={check.isPending} onClick={() => check.mutate()}>
          Check
        </Button>
        <Button variant="default" size="xs" loading={test.isPending} onClick={() => test.mutate()}>
          Test
        </Button>
      </div>
      {error !== null && <ErrorAlert error={error} />}
      {check.data?.oidc != null && (
        <p className="small" role="status">
          The discovery document was read. The token endpoint is {check.data.oidc.token_endpoint}.
        </p>
      )}
    </>
  )
}

const Address = ({ label, text }: { label: string; text: string }) => (
  <p className="small long-text">
    {label}: <code>{text}</code> <CopyButton text={text} label={`Copy the ${label}`} />
  </p>
)
