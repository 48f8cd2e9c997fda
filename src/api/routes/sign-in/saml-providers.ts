// Administrators set up providers of SAML.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import type { SamlProviderSettings, SamlSettings } from '../../../domain/sign-in/provider.ts'
import type { SamlProvider } from '../../../sign-in/saml/saml-sign-ins.ts'
import { countLinkedPeople } from '../../../store/identity/providers/person-identities.ts'
import { forgetAccounts, insertProvider, updateProvider } from '../../../store/identity/providers/sign-in-providers.ts'
import { nullish, WITHOUT_NUL, wireString } from '../../../wire/schemas.ts'
import { type RouteServices, route } from '../../route.ts'
import { type ProviderCheck, type ProviderCreate, type ProviderUpdate, policyOf } from './provider-schemas.ts'
import { Certificate, certificateOf, parseCertificate, readCertificate, samlOf } from './saml-schemas.ts'

const MAX_METADATA = 524_288
const MAX_LISTED = 20

const invalid = (reason: string) => new AppError('INVALID_INPUT', { reason })

export async function insertSamlProvider(
  services: RouteServices<'db' | 'secrets'>,
  { slug, name, is_enabled, policy, saml }: z.infer<typeof ProviderCreate>,
  now: number,
): Promise<number> {
  if (saml === null) throw invalid('The field "saml" is missing.')
  const settings: SamlProviderSettings = { ...policyOf(policy), saml: samlOf(saml) }
  const columns = { type: 'saml', slug, name, is_enabled: is_enabled ?? false, settings, secrets: null } as const
  return insertProvider(services, columns, now)
}

/** The stored settings with the changes. Another entity id, or another subject, names other accounts. */
export async function changeSamlProvider(
  { db, secrets }: RouteServices<'db' | 'secrets'>,
  provider: SamlProvider,
  { name, is_enabled, policy, oidc, ldap, saml, forget_accounts }: z.infer<typeof ProviderUpdate>,
  now: number,
): Promise<void> {
  if (oidc !== null || ldap !== null) throw invalid('This provider has "saml".')
  const { saml: before, ...policyBefore } = provider.settings
  const after = saml === null ? before : samlOf(saml)
  const hasOtherAccounts = isOtherSubject(before, after)
  await db.transaction().execute(async (trx) => {
    const count = hasOtherAccounts ? await countLinkedPeople(trx, provider.id) : 0
    if (count > 0 && forget_accounts !== true) throw new AppError('PROVIDER_HAS_PEOPLE', { count })
    if (hasOtherAccounts) await forgetAccounts(trx, provider.id)
    const settings = { ...(policy === null ? policyBefore : policyOf(policy)), saml: after }
    const change = {
      ...(name !== null && { name }),
      ...(is_enabled !== null && { is_enabled }),
      // Settings that were not sent may have been changed meanwhile.
      ...((saml !== null || policy !== null) && { settings }),
    }
    await updateProvider({ db: trx, secrets }, provider.id, change, now)
  })
}

const isOtherSubject = (before: SamlSettings, after: SamlSettings): boolean =>
  before.entity_id !== after.entity_id ||
  before.subject_attribute !== after.subject_attribute ||
  (after.subject_attribute === null && before.name_id_format !== after.name_id_format)

/** SIGN_IN_PROVIDER_FAILED: the metadata at the address cannot be read, or says something else than the settings. */
export async function checkSamlProvider(
  { saml }: RouteServices<'saml'>,
  provider: SamlProvider,
): Promise<NonNullable<z.infer<typeof ProviderCheck>['saml']>> {
  const { entity_id, sso_url, certificates, metadata_url } = provider.settings.saml
  if (metadata_url !== null) {
    const metadata = await saml.fetchMetadata(metadata_url, provider.id)
    const published = metadata.certificates.map((it) => parseCertificate(it)?.toString() ?? it)
    const faults = [
      metadata.entityId !== entity_id && `The entity ID there is ${metadata.entityId}.`,
      metadata.ssoUrl !== sso_url && `The SSO URL there is ${metadata.ssoUrl}.`,
      published.some((it) => !certificates.includes(it)) && 'There is a certificate that is not in the settings.',
      certificates.some((it) => !published.includes(it)) && 'A certificate of the settings is not there.',
    ].filter((it) => it !== false)
    if (faults.length > 0) throw new AppError('SIGN_IN_PROVIDER_FAILED', { reason: faults.join(' ') })
  }
  return {
    metadata_was_read: metadata_url !== null,
    certificates: certificates.map((it) => certificateOf(readCertificate(it))),
  }
}

export const samlProviderRoutes = [
  route({
    name: 'readSamlMetadata',
    method: 'POST',
    path: '/admin/sign-in/saml-metadata',
    access: 'admin',
    tag: 'Sign-in providers',
    summary: 'Read the metadata of a SAML provider',
    description: 'Answers the settings that the metadata gives, for a new provider. Nothing is stored.',
    audit: { action: 'sign_in_provider.read_metadata' },
    bodyLimitBytes: 2 * MAX_METADATA,
    body: z
      .object({
        url: nullish(wireString({ min: 1, max: 2_000, pattern: WITHOUT_NUL })).describe('Either this or `xml`.'),
        xml: nullish(wireString({ min: 1, max: MAX_METADATA })),
      })
      .meta({ id: 'SamlMetadataRequest' }),
    reply: z
      .object({
        entity_id: z.string(),
        sso_url: z.string(),
        certificates: z.array(Certificate),
        name_id_formats: z.array(z.string()),
        wants_signed_requests: z.boolean().describe('Pharos does not sign requests: allow that at the provider.'),
      })
      .meta({ id: 'SamlMetadata' }),
    errors: ['INVALID_INPUT', 'SIGN_IN_PROVIDER_FAILED', 'SERVICE_UNAVAILABLE'],
    services: ['saml'],
    handle: async ({ body: { url, xml }, services: { saml } }) => {
      if ((url === null) === (xml === null)) throw invalid('Send either "url" or "xml".')
      const read = xml === null ? await saml.fetchMetadata(url ?? '', null) : await saml.readMetadata(xml)
      return {
        entity_id: read.entityId,
        sso_url: read.ssoUrl,
        certificates: read.certificates.slice(0, MAX_LISTED).map((it) => certificateOf(readCertificate(it))),
        name_id_formats: read.nameIdFormats.slice(0, MAX_LISTED),
        wants_signed_requests: read.wantsSignedRequests,
      }
    },
  }),
]
