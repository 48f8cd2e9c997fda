// A small identity provider of SAML 2.0 of our own, of which a test can change every answer. Signed by xml-crypto.
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { inflateRawSync } from 'node:zlib'
import { makeAuthority } from './egress/certificate.ts'

interface SignerOptions {
  privateKey: string
  publicCert?: string
  signatureAlgorithm: string
  canonicalizationAlgorithm: string
}
interface Signer {
  addReference(reference: { xpath: string; transforms: string[]; digestAlgorithm: string }): void
  computeSignature(xml: string, options: { location: { reference: string; action: string } }): void
  getSignedXml(): string
}
/** The types of the package declare the globals of a browser in the whole program. */
const { SignedXml }: { SignedXml: new (options: SignerOptions) => Signer } = createRequire(import.meta.url)(
  'xml-crypto',
)

export const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256'
export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'

export interface SamlRequest {
  id: string | null
  acsUrl: string
  entityId: string
  relayState: string | null
}

export interface Account {
  nameId: string
  format?: string
  attributes?: Record<string, string | string[]>
}

/** The differences from an honest answer. Null leaves something out. */
export interface Changes {
  issuer?: string
  audience?: string | null
  recipient?: string | null
  destination?: string | null
  inResponseTo?: string | null
  confirmedRequest?: string | null
  method?: string
  issued?: number
  notBefore?: number | null
  notOnOrAfter?: number | null
  confirmedUntil?: number | null
  conditions?: string
  sessionEnd?: number
  assertionId?: string
  status?: string
}

export interface SignOptions {
  xpath?: string
  signatureAlgorithm?: string
  digestAlgorithm?: string
  transforms?: string[]
  canonicalizationAlgorithm?: string
  /** Another key, whose certificate travels in the signature. */
  key?: string
  publicCert?: string
}

export interface SmallSamlProvider {
  entityId: string
  ssoUrl: string
  certificate: string
  metadata(more?: { attributes?: string; certificate?: string }): string
  /** Reads the request in the address to which a browser was sent. */
  read(authorizationUrl: string): SamlRequest
  /** A response without any signature. */
  build(request: SamlRequest, account: Account, changes?: Changes): string
  signAssertion(xml: string, options?: SignOptions): string
  signResponse(xml: string, options?: SignOptions): string
  /** An honest response: the assertion is signed. */
  answer(request: SamlRequest, account: Account, changes?: Changes): string
}

export const ASSERTION_XPATH = "/*[local-name(.)='Response']/*[local-name(.)='Assertion']"
const RESPONSE_XPATH = "/*[local-name(.)='Response']"

export function makeSmallSamlProvider(entityId = 'https://idp.example/metadata'): SmallSamlProvider {
  const { key, cert: certificate } = makeAuthority('idp').issue({ name: 'idp.example', rsaBits: 2_048 })
  const ssoUrl = 'https://idp.example/sso?tenant=1'
  const sign = (xml: string, xpath: string, options: SignOptions) => {
    const signer = new SignedXml({
      privateKey: options.key ?? key,
      ...(options.publicCert !== undefined && { publicCert: options.publicCert }),
      signatureAlgorithm: options.signatureAlgorithm ?? RSA_SHA256,
      canonicalizationAlgorithm: options.canonicalizationAlgorithm ?? EXCLUSIVE,
    })
    const transforms = options.transforms ?? [ENVELOPED, EXCLUSIVE]
    signer.addReference({
      xpath: options.xpath ?? xpath,
      transforms,
      digestAlgorithm: options.digestAlgorithm ?? SHA256,
    })
    signer.computeSignature(xml, { location: { reference: `${xpath}/*[local-name(.)='Issuer']`, action: 'after' } })
    return signer.getSignedXml()
  }
  const provider: SmallSamlProvider = {
    ...{ entityId, ssoUrl, certificate },
    metadata: ({ attributes = '', certificate: other } = {}) =>
      metadataOf(entityId, ssoUrl, other ?? certificate, attributes),
    read: readRequest,
    build: (request, account, changes = {}) => responseOf(entityId, request, account, changes),
    signAssertion: (xml, options = {}) => sign(xml, ASSERTION_XPATH, options),
    signResponse: (xml, options = {}) => sign(xml, RESPONSE_XPATH, options),
    answer: (request, account, changes = {}) => provider.signAssertion(provider.build(request, account, changes)),
  }
  return provider
}

function readRequest(authorizationUrl: string): SamlRequest {
  const { searchParams } = new URL(authorizationUrl)
  const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString()
  const read = (pattern: RegExp) => pattern.exec(xml)?.[1] ?? ''
  return {
    id: read(/ ID="([^"]+)"/),
    acsUrl: read(/AssertionConsumerServiceURL="([^"]+)"/),
    entityId: read(/<saml:Issuer[^>]*>([^<]+)</),
    relayState: searchParams.get('RelayState'),
  }
}

const MINUTE = 60_000
const at = (offset: number) => new Date(Date.now() + offset).toISOString()
const newId = () => `_${randomBytes(16).toString('hex')}`
/** An attribute of XML; nothing for null. */
const optional = (name: string, value: string | null) => (value === null ? '' : ` ${name}="${escapeXml(value)}"`)
export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

function responseOf(entityId: string, request: SamlRequest, account: Account, changes: Changes): string {
  const { status = 'urn:oasis:names:tc:SAML:2.0:status:Success', issuer = entityId } = changes
  const inResponseTo = changes.inResponseTo === undefined ? request.id : changes.inResponseTo
  const destination = changes.destination === undefined ? request.acsUrl : changes.destination
  return (
    `<samlp:Response xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="${newId()}" Version="2.0" ` +
    `IssueInstant="${at(0)}"${optional('Destination', destination)}${optional('InResponseTo', inResponseTo)}>` +
    `<saml:Issuer>${escapeXml(issuer)}</saml:Issuer>` +
    `<samlp:Status><samlp:StatusCode Value="${status}"/></samlp:Status>` +
    `${assertionOf(entityId, request, account, changes)}</samlp:Response>`
  )
}

function assertionOf(entityId: string, request: SamlRequest, account: Account, changes: Changes): string {
  const { issuer = entityId, issued = 0, assertionId = newId(), sessionEnd } = changes
  return (
    `<saml:Assertion xmlns:saml="${ASSERTION}" ID="${assertionId}" Version="2.0" IssueInstant="${at(issued)}">` +
    `<saml:Issuer>${escapeXml(issuer)}</saml:Issuer>${subjectOf(request, account, changes)}` +
    `${conditionsOf(request, changes)}<saml:AuthnStatement AuthnInstant="${at(issued)}" SessionIndex="s-1"` +
    `${optional('SessionNotOnOrAfter', sessionEnd === undefined ? null : at(sessionEnd))}><saml:AuthnContext>` +
    '<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>' +
    `</saml:AuthnContext></saml:AuthnStatement>${attributesOf(account)}</saml:Assertion>`
  )
}

function subjectOf(request: SamlRequest, { nameId, format }: Account, changes: Changes): string {
  const { method = 'urn:oasis:names:tc:SAML:2.0:cm:bearer', confirmedUntil = 5 * MINUTE } = changes
  const recipient = changes.recipient === undefined ? request.acsUrl : changes.recipient
  const answered = changes.confirmedRequest === undefined ? request.id : changes.confirmedRequest
  return (
    `<saml:Subject><saml:NameID${optional('Format', format ?? null)}>${nameId}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="${method}"><saml:SubjectConfirmationData` +
    `${optional('Recipient', recipient)}${optional('InResponseTo', answered)}` +
    `${optional('NotOnOrAfter', confirmedUntil === null ? null : at(confirmedUntil))}/>` +
    '</saml:SubjectConfirmation></saml:Subject>'
  )
}

function conditionsOf({ entityId }: SamlRequest, changes: Changes): string {
  const { notBefore = -MINUTE, notOnOrAfter = 5 * MINUTE, conditions, audience = entityId } = changes
  if (conditions !== undefined) return conditions
  const restriction =
    audience === null
      ? ''
      : `<saml:AudienceRestriction><saml:Audience>${escapeXml(audience)}</saml:Audience></saml:AudienceRestriction>`
  return (
    `<saml:Conditions${optional('NotBefore', notBefore === null ? null : at(notBefore))}` +
    `${optional('NotOnOrAfter', notOnOrAfter === null ? null : at(notOnOrAfter))}>${restriction}</saml:Conditions>`
  )
}

function attributesOf({ attributes = {} }: Account): string {
  const values = (value: string | string[]) =>
    [value]
      .flat()
      .map((it) => `<saml:AttributeValue>${escapeXml(it)}</saml:AttributeValue>`)
      .join('')
  const all = Object.entries(attributes).map(
    ([name, value]) => `<saml:Attribute Name="${escapeXml(name)}">${values(value)}</saml:Attribute>`,
  )
  return all.length === 0 ? '' : `<saml:AttributeStatement>${all.join('')}</saml:AttributeStatement>`
}

const metadataOf = (entityId: string, ssoUrl: string, certificate: string, attributes: string): string =>
  `<?xml version="1.0"?><!-- of a test --><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" ` +
  `entityID="${escapeXml(entityId)}"><md:IDPSSODescriptor protocolSupportEnumeration="${PROTOCOL}"${attributes}>` +
  `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>` +
  `<ds:X509Certificate>${certificate.replaceAll(/-----.*-----/g, '')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>` +
  '</md:KeyDescriptor><md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>' +
  '<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://idp.example/post"/>' +
  `<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${escapeXml(ssoUrl)}"/>` +
  '</md:IDPSSODescriptor></md:EntityDescriptor>'
