// The settings of a SAML provider as its form holds them, and as the service takes them.
import { createSignInProvider, updateSignInProvider } from '../../../../src/client/operations.ts'
import type { SamlMetadata, SamlSettingsRequest, SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { type CommonValues, commonValuesOf } from './form-fields.tsx'
import { type PolicyValues, policyOf, policyValuesOf, textOrNull } from './policy-fields.tsx'

export interface SamlValues extends CommonValues, PolicyValues {
  entity_id: string
  sso_url: string
  /** PEM, one after another. */
  certificates: string
  metadata_url: string
  name_id_format: string
  subject_attribute: string
  vouches_for_emails: boolean
  allows_idp_initiated: boolean
  clock_skew_seconds: string
}

export const samlValuesOf = (provider: SignInProviderSnapshot | undefined): SamlValues => {
  const saml = provider?.saml
  return {
    ...commonValuesOf(provider),
    ...policyValuesOf(provider?.policy),
    entity_id: saml?.entity_id ?? '',
    sso_url: saml?.sso_url ?? '',
    certificates: joinCertificates(saml?.certificates ?? []),
    metadata_url: saml?.metadata_url ?? '',
    name_id_format: saml?.name_id_format ?? '',
    subject_attribute: saml?.subject_attribute ?? '',
    vouches_for_emails: saml?.vouches_for_emails ?? false,
    allows_idp_initiated: saml?.allows_idp_initiated ?? false,
    clock_skew_seconds: String(saml?.clock_skew_seconds ?? ''),
  }
}

/** The fields that metadata fills. */
export const metadataValuesOf = ({ entity_id, sso_url, certificates }: SamlMetadata) => ({
  ...{ entity_id, sso_url, certificates: joinCertificates(certificates) },
})

const joinCertificates = (certificates: readonly { pem: string }[]): string =>
  certificates.map((it) => it.pem.trim()).join('\n')

const END = '-----END CERTIFICATE-----'

/** Certificates end with a line of PEM; a single one may be without. */
const splitCertificates = (text: string): string[] => {
  const pieces = text.split(END).map((it) => it.trim())
  return pieces.filter((it) => it !== '').map((it) => (it.startsWith('-----BEGIN') ? `${it}\n${END}` : it))
}

const samlOf = (values: SamlValues): SamlSettingsRequest => ({
  entity_id: values.entity_id.trim(),
  sso_url: values.sso_url.trim(),
  certificates: splitCertificates(values.certificates),
  metadata_url: textOrNull(values.metadata_url),
  name_id_format: textOrNull(values.name_id_format),
  subject_attribute: textOrNull(values.subject_attribute),
  vouches_for_emails: values.vouches_for_emails,
  allows_idp_initiated: values.allows_idp_initiated,
  clock_skew_seconds: values.clock_skew_seconds === '' ? null : Number(values.clock_skew_seconds),
})

export function saveSamlProvider(provider: SignInProviderSnapshot | undefined, values: SamlValues): Promise<unknown> {
  const { name, slug, forget_accounts } = values
  const [policy, saml] = [policyOf(values), samlOf(values)]
  return provider === undefined
    ? createSignInProvider(api, { body: { slug, name, policy, saml } })
    : updateSignInProvider(api, { provider_id: provider.id, body: { name, policy, saml, forget_accounts } })
}
