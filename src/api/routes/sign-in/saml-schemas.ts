// The SAML settings of a provider as administrators send and see them.
import { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import type { SamlSettings } from '../../../domain/sign-in/provider.ts'
import { isLoopback } from '../../../sign-in/oidc/provider-clients.ts'
import type { SamlProvider } from '../../../sign-in/saml/saml-sign-ins.ts'
import { addressesOf } from '../../../sign-in/saml/service-provider.ts'
import {
  nullish,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireInteger,
  wireName,
  wireString,
} from '../../../wire/schemas.ts'
import { iso } from '../../wire/iso.ts'

const MAX_URL = 2_000
const MAX_CERTIFICATE = 10_000
const MAX_CERTIFICATES = 10
const MIN_RSA_BITS = 2_048

const url = () => wireString({ min: 1, max: MAX_URL, pattern: WITHOUT_NUL })

export const SamlRequest = z
  .object({
    entity_id: wireName(1_000).describe('The provider’s, as its metadata names it.'),
    sso_url: url().describe('Where a browser signs in: SingleSignOnService with the binding HTTP-Redirect.'),
    certificates: wireArray(wireString({ min: 1, max: MAX_CERTIFICATE, pattern: WITHOUT_NUL }), {
      min: 1,
      max: MAX_CERTIFICATES,
    }).describe('With RSA keys, in PEM or base64. Several while the provider changes its key.'),
    metadata_url: nullish(url()).describe('A check compares these settings with the metadata there.'),
    name_id_format: nullish(wireName(200)).describe(
      'The format of NameID that is asked for. Null: the provider chooses.',
    ),
    subject_attribute: nullish(wireName(200)).describe(
      'An attribute that no other account ever gets. Null: NameID is the account.',
    ),
    vouches_for_emails: nullish(wireBoolean()).describe(
      'Only administrators of the provider write addresses, so that an address finds a person who exists. Default: false.',
    ),
    allows_idp_initiated: nullish(wireBoolean()).describe(
      'Accepts sign-ins that begin at the provider. Another site can then sign a browser in with an account of its own. Default: false.',
    ),
    clock_skew_seconds: nullish(wireInteger({ min: 0, max: 300 })).describe('Default: 60.'),
  })
  .meta({ id: 'SamlSettingsRequest' })

export const Certificate = z
  .object({
    pem: z.string(),
    subject: z.string(),
    fingerprint: z.string().describe('SHA-256.'),
    valid_to: z.iso.datetime(),
  })
  .meta({ id: 'SamlCertificate' })

export const SamlSnapshot = z
  .object({
    entity_id: z.string(),
    sso_url: z.string(),
    certificates: z.array(Certificate),
    metadata_url: z.string().nullable(),
    name_id_format: z.string().nullable(),
    subject_attribute: z.string().nullable(),
    vouches_for_emails: z.boolean(),
    allows_idp_initiated: z.boolean(),
    clock_skew_seconds: z.int(),
    service_entity_id: z.string().describe('Of Pharos, and the address of its metadata. For the provider.'),
    acs_url: z.string().describe('Where the provider posts its answers. For the provider.'),
  })
  .meta({ id: 'SamlSettingsSnapshot' })

/** INVALID_INPUT */
export function samlOf(request: z.infer<typeof SamlRequest>): SamlSettings {
  const { entity_id, sso_url, metadata_url, name_id_format, subject_attribute } = request
  checkAddress('sso_url', sso_url)
  if (metadata_url !== null) checkAddress('metadata_url', metadata_url)
  return {
    ...{ entity_id, sso_url, metadata_url, name_id_format, subject_attribute },
    certificates: [...new Set(request.certificates.map((it) => readCertificate(it).toString()))],
    vouches_for_emails: request.vouches_for_emails ?? false,
    allows_idp_initiated: request.allows_idp_initiated ?? false,
    clock_skew_seconds: request.clock_skew_seconds ?? 60,
  }
}

function refuse(field: string, fault: string): never {
  throw new AppError('INVALID_INPUT', { reason: `The field "${field}" ${fault}.` })
}

function checkAddress(field: string, address: string): void {
  const parsed = URL.parse(address)
  const isSecure = parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isLoopback(address))
  if (parsed === null || !isSecure || `${parsed.hash}${parsed.username}${parsed.password}` !== '')
    refuse(field, 'must be an https address without user and fragment')
}

/** INVALID_INPUT: it is no certificate, or its key is none that can be used. */
export function readCertificate(text: string): X509Certificate {
  const certificate = parseCertificate(text)
  if (certificate === null) refuse('certificates', 'must hold certificates in PEM or base64')
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey
  if (asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS)
    refuse('certificates', `must hold certificates with RSA keys of at least ${MIN_RSA_BITS} bits`)
  return certificate
}

/** Null if it is none. */
export function parseCertificate(text: string): X509Certificate | null {
  const base64 = text
    .replace('-----BEGIN CERTIFICATE-----', '')
    .replace('-----END CERTIFICATE-----', '')
    .replaceAll(/\s/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null
  try {
    return new X509Certificate(Buffer.from(base64, 'base64'))
  } catch {
    return null
  }
}

export const certificateOf = (certificate: X509Certificate): z.infer<typeof Certificate> => ({
  pem: certificate.toString(),
  subject: certificate.subject.replaceAll('\n', ', '),
  fingerprint: certificate.fingerprint256,
  valid_to: iso(certificate.validToDate.getTime()),
})

export function samlSnapshotOf(
  { slug, settings: { saml } }: SamlProvider,
  serviceUrl: string | null,
): z.infer<typeof SamlSnapshot> {
  const { entityId, acsUrl } = addressesOf(serviceUrl ?? '', slug)
  const certificates = saml.certificates.map((it) => certificateOf(new X509Certificate(it)))
  return { ...saml, certificates, service_entity_id: entityId, acs_url: acsUrl }
}
