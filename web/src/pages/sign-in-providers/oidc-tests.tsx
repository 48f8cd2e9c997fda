// The addresses that are registered at a provider with OpenID Connect, and the buttons that try it.
import type { SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { RedirectTests } from './redirect-tests.tsx'

export const OidcTests = ({ provider }: { provider: SignInProviderSnapshot }) => (
  <RedirectTests
    provider={provider}
    addresses={{ 'Redirect URI': provider.redirect_uri, 'Back-channel logout URI': provider.backchannel_logout_uri }}
    describe={({ oidc }) => (
      <p>The discovery document was read. The token endpoint is {oidc?.token_endpoint ?? 'not named'}.</p>
    )}
  />
)
