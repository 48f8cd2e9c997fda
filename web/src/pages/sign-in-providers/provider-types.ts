// The protocols of providers, and which form and which tests each has. A new protocol takes one entry here.
import type { ComponentType } from 'react'
import type { SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import type { ProviderFormProps } from './form-fields.tsx'
import { LdapForm } from './ldap-form.tsx'
import { LdapTests } from './ldap-tests.tsx'
import { OidcForm } from './oidc-form.tsx'
import { OidcTests } from './oidc-tests.tsx'
import { SamlForm } from './saml-form.tsx'
import { SamlTests } from './saml-tests.tsx'

interface ProviderType {
  Form: ComponentType<ProviderFormProps>
  /** The addresses that are registered at the provider, and the buttons that try it. */
  Tests: ComponentType<{ provider: SignInProviderSnapshot }>
  /** Where the provider is. */
  address: (provider: SignInProviderSnapshot) => string | undefined
}

/** In the order of the choice. */
export const PROVIDER_NAMES = ['oidc', 'saml', 'ldap'] as const

export const PROVIDER_TYPES: Record<SignInProviderSnapshot['type'], ProviderType> = {
  oidc: { Form: OidcForm, Tests: OidcTests, address: ({ oidc }) => oidc?.issuer },
  saml: { Form: SamlForm, Tests: SamlTests, address: ({ saml }) => saml?.entity_id },
  ldap: { Form: LdapForm, Tests: LdapTests, address: ({ ldap }) => ldap?.url },
}
