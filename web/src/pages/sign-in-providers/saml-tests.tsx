// The addresses that are registered at a SAML provider, and the buttons that try it.
import type { SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { RedirectTests } from './redirect-tests.tsx'

export function SamlTests({ provider }: { provider: SignInProviderSnapshot }) {
  const t = textsOf('admin.sign_in.tests')
  return (
    <RedirectTests
      provider={provider}
      addresses={[
        { label: t('addresses.metadata'), text: provider.saml?.service_entity_id ?? '' },
        { label: t('addresses.acs'), text: provider.saml?.acs_url ?? '' },
      ]}
      describe={({ saml }) => (
        <>
          <p>{saml?.metadata_was_read === true ? t('saml_same') : t('saml_no_metadata')}</p>
          {saml?.certificates.map(({ subject, fingerprint, valid_to }) => (
            <p key={fingerprint} className="long-text">
              {t.rich('certificate', { subject, fingerprint, time: () => <Time at={valid_to} /> })}
            </p>
          ))}
        </>
      )}
    />
  )
}
