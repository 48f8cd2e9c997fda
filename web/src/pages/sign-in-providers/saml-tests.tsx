// The addresses that are registered at a SAML provider, and the buttons that try it.
import type { SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { Time } from '../../parts/text.tsx'
import { RedirectTests } from './redirect-tests.tsx'

export const SamlTests = ({ provider }: { provider: SignInProviderSnapshot }) => (
  <RedirectTests
    provider={provider}
    addresses={{
      'Metadata and entity ID': provider.saml?.service_entity_id ?? '',
      'ACS URL': provider.saml?.acs_url ?? '',
    }}
    describe={({ saml }) => (
      <>
        <p>
          {saml?.metadata_was_read === true
            ? 'The metadata of the provider says the same as these settings.'
            : 'There is no metadata URL to compare with.'}
        </p>
        {saml?.certificates.map((it) => (
          <p key={it.fingerprint} className="long-text">
            Certificate of {it.subject}: {it.fingerprint}. Its validity ends: <Time at={it.valid_to} />.
          </p>
        ))}
      </>
    )}
  />
)
