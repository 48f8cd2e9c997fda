// The service as an identity provider sees it: its names, its metadata and its requests.
import type { SamlSettings } from '../../domain/sign-in/provider.ts'

export interface ServiceAddresses {
  entityId: string
  acsUrl: string
}

export const addressesOf = (serviceUrl: string, slug: string): ServiceAddresses => ({
  entityId: `${serviceUrl}/auth/saml/${slug}/metadata`,
  acsUrl: `${serviceUrl}/auth/saml/${slug}/callback`,
})

/** Most services have no provider of SAML, so the package is loaded when the first one is used. */
const loadPackage = () => import('@node-saml/node-saml')

export async function serviceMetadata(
  { entityId, acsUrl }: ServiceAddresses,
  { name_id_format }: Pick<SamlSettings, 'name_id_format'>,
): Promise<string> {
  const { generateServiceProviderMetadata } = await loadPackage()
  return generateServiceProviderMetadata({
    ...{ issuer: entityId, callbackUrl: acsUrl, wantAssertionsSigned: true, identifierFormat: name_id_format },
    generateUniqueId: () => '_metadata',
  })
}

/** The address at the provider, with a request that is not signed. The provider may choose how a person signs in. */
export async function requestUrl(
  { entityId, acsUrl }: ServiceAddresses,
  { sso_url, certificates, name_id_format }: SamlSettings,
  { requestId, relayState }: { requestId: string; relayState: string },
): Promise<string> {
  const { SAML } = await loadPackage()
  return new SAML({
    ...{ issuer: entityId, callbackUrl: acsUrl, entryPoint: sso_url, idpCert: [...certificates] },
    ...{ identifierFormat: name_id_format, disableRequestedAuthnContext: true, generateUniqueId: () => requestId },
  }).getAuthorizeUrlAsync(relayState, undefined, {})
}
