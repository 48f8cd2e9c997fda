// The addresses that are registered at a provider with OpenID Connect, and the buttons that try it.
import type { SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'
import { RedirectTests } from './redirect-tests.tsx'

export function OidcTests({ provider }: { provider: SignInProviderSnapshot }) {
  const t = textsOf('admin.sign_in.tests')
  return (
    <RedirectTests
      provider={provider}
      addresses={[
        { label: t('addresses.redirect'), text: provider.redirect_uri },
        { label: t('addresses.logout'), text: provider.backchannel_logout_uri },
      ]}
      describe={({ oidc }) => {
        const endpoint = oidc?.token_endpoint ?? null
        return <p>{endpoint === null ? t('oidc_read_without_endpoint') : t('oidc_read', { endpoint })}</p>
      }}
    />
  )
}
