// Reads the metadata of an identity provider. Runs in a thread with limits.
import {
  attributeOf,
  childrenNamed,
  descendants,
  isNamed,
  METADATA,
  PROTOCOL,
  parseXml,
  SIGNATURE,
  textOf,
  type XmlElement,
  XmlFault,
} from './xml.ts'

export interface ProviderMetadata {
  entityId: string
  ssoUrl: string
  /** As they are written there: base64 without PEM. */
  certificates: string[]
  nameIdFormats: string[]
  wantsSignedRequests: boolean
}

export type ReadMetadata = { kind: 'metadata'; metadata: ProviderMetadata } | { kind: 'invalid'; fault: string }

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'

export function readMetadata(xml: string): ReadMetadata {
  try {
    return { kind: 'metadata', metadata: read(parseXml(xml)) }
  } catch (error) {
    const fault = error instanceof XmlFault ? error.message : `The metadata cannot be read: ${String(error)}`
    return { kind: 'invalid', fault }
  }
}

function read(root: XmlElement): ProviderMetadata {
  const roles = [...descendants(root)].filter((it) => isNamed(it, METADATA, 'IDPSSODescriptor'))
  const [role, other] = roles.filter((it) => protocolsOf(it).includes(PROTOCOL))
  if (role === undefined) throw new XmlFault('The text is no metadata of an identity provider of SAML 2.0.')
  if (other !== undefined)
    throw new XmlFault('The metadata describes several identity providers. Take the part of yours.')
  const entityId = role.parentNode === null ? null : attributeOf(role.parentNode, 'entityID')
  const sso = childrenNamed(role, METADATA, 'SingleSignOnService').find((it) => attributeOf(it, 'Binding') === REDIRECT)
  const ssoUrl = sso === undefined ? null : attributeOf(sso, 'Location')
  if (!entityId) throw new XmlFault('The metadata has no entityID.')
  if (!ssoUrl) throw new XmlFault('The metadata names no SingleSignOnService with the binding HTTP-Redirect.')
  return {
    ...{ entityId, ssoUrl, certificates: certificatesOf(role) },
    nameIdFormats: childrenNamed(role, METADATA, 'NameIDFormat').map(textOf),
    wantsSignedRequests: ['true', '1'].includes(attributeOf(role, 'WantAuthnRequestsSigned') ?? ''),
  }
}

const protocolsOf = (role: XmlElement): string[] => (attributeOf(role, 'protocolSupportEnumeration') ?? '').split(/\s/)

function certificatesOf(role: XmlElement): string[] {
  const keys = childrenNamed(role, METADATA, 'KeyDescriptor').filter((it) => attributeOf(it, 'use') !== 'encryption')
  const found = keys
    .flatMap((it) => [...descendants(it)])
    .filter((it) => isNamed(it, SIGNATURE, 'X509Certificate'))
    .map((it) => textOf(it).replaceAll(/\s/g, ''))
  return [...new Set(found)]
}
