// Sign-in providers as administrators send and see them.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import {
  CLIENT_AUTH_METHODS,
  MAPPED_ROLES,
  type OidcProviderSettings,
  PROVIDER_TYPES,
  type ProviderPolicy,
} from '../../../domain/sign-in/provider.ts'
import { SIGN_IN_FAILURES, type SignInFailure, type SignInVerdict } from '../../../domain/sign-in/verified-identity.ts'
import { isLdap } from '../../../sign-in/ldap/ldap-sign-ins.ts'
import { isOidc } from '../../../sign-in/oidc/oidc-sign-ins.ts'
import { isLoopback } from '../../../sign-in/oidc/provider-clients.ts'
import { isSaml } from '../../../sign-in/saml/saml-sign-ins.ts'
import { countLinkedPeople } from '../../../store/identity/providers/person-identities.ts'
import type { StoredProvider } from '../../../store/identity/providers/sign-in-providers.ts'
import {
  nullish,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireEnum,
  wireInteger,
  wireName,
  wireString,
} from '../../../wire/schemas.ts'
import type { RouteServices } from '../../route.ts'
import { iso } from '../../wire/iso.ts'
import { LdapRequest, LdapSnapshot, ldapSnapshotOf } from './ldap-schemas.ts'
import { CALLBACK_PATH, slugField } from './oidc.ts'
import { Certificate, SamlRequest, SamlSnapshot, samlSnapshotOf } from './saml-schemas.ts'

const MAX_CLAIM = 200
const MAX_ISSUER = 1_000
const DOMAIN = /^[^\s@\u0000]+$/
const FAILURES = Object.keys(SIGN_IN_FAILURES) as [SignInFailure, ...SignInFailure[]]

const claim = () => wireName(MAX_CLAIM)
const MappedRoleField = () => wireEnum(MAPPED_ROLES)

export const PolicyRequest = z
  .object({
    email_claim: nullish(claim()).describe('Default: email.'),
    email_verified_claim: nullish(claim()).describe('Default: email_verified. Entra ID has xms_edov.'),
    name_claim: nullish(claim()).describe('Default: name.'),
    groups_claim: nullish(claim()).describe('Null: groups are not taken from the provider. Dots lead into objects.'),
    roles_claim: nullish(claim()).describe('The claim that role_mapping reads. Default: groups_claim.'),
    creates_people: nullish(wireBoolean()).describe('Whether the first sign-in creates the account. Default: true.'),
    allowed_domains: nullish(wireArray(wireString({ min: 1, max: 253, pattern: DOMAIN }), { max: 200 })).describe(
      'E-mail domains. Empty: all.',
    ),
    trusts_emails: nullish(wireBoolean()).describe(
      'Creates people whose addresses are not said to be verified. Only verified addresses find people who exist. Default: false.',
    ),
    default_role: nullish(MappedRoleField()).describe('Default: basic.'),
    role_mapping: nullish(
      wireArray(z.object({ value: wireName(500), role: MappedRoleField() }), { max: 200 }),
    ).describe('If not empty, each sign-in sets the role: the highest that matches, else default_role.'),
    group_prefix: nullish(wireString({ max: 100, pattern: WITHOUT_NUL })).describe('Put before names of groups.'),
  })
  .meta({ id: 'SignInPolicyRequest' })

export const OidcRequest = z
  .object({
    issuer: wireString({ min: 1, max: MAX_ISSUER, pattern: WITHOUT_NUL }).describe(
      'As the discovery document names it.',
    ),
    client_id: wireName(500),
    client_secret: nullish(wireName(2_000)).describe('Write-only. Absent: the stored one stays.'),
    client_auth: nullish(wireEnum(CLIENT_AUTH_METHODS)).describe('Default: client_secret_basic.'),
    scopes: nullish(wireString({ max: 1_000, pattern: WITHOUT_NUL })).describe('Default: openid profile email.'),
    clock_skew_seconds: nullish(wireInteger({ min: 0, max: 300 })).describe('Default: 30.'),
    ends_provider_session: nullish(wireBoolean()).describe(
      'Whether signing out here leads to the logout at the provider. Default: true.',
    ),
  })
  .meta({ id: 'OidcSettingsRequest' })

export const ProviderCreate = z
  .object({
    slug: slugField().describe('Names the provider in addresses and in the origin of groups; it never changes.'),
    name: wireName(100).describe('The text of the button.'),
    is_enabled: nullish(wireBoolean()).describe('Default: false, so that it can be tested first.'),
    policy: nullish(PolicyRequest),
    oidc: nullish(OidcRequest).describe('Either this, `ldap` or `saml`.'),
    ldap: nullish(LdapRequest),
    saml: nullish(SamlRequest),
  })
  .meta({ id: 'SignInProviderCreate' })

export const ProviderUpdate = z
  .object({
    name: nullish(wireName(100)),
    is_enabled: nullish(wireBoolean()),
    policy: nullish(PolicyRequest).describe('Replaces the whole policy.'),
    oidc: nullish(OidcRequest).describe('Replaces these settings; the secret stays if it is absent.'),
    ldap: nullish(LdapRequest).describe('Replaces these settings; the password stays if it is absent.'),
    saml: nullish(SamlRequest).describe('Replaces these settings.'),
    forget_accounts: nullish(wireBoolean()).describe(
      'Confirms another issuer or entity ID although people are linked: their links are forgotten and their sessions end.',
    ),
  })
  .meta({ id: 'SignInProviderUpdate' })

export const ProviderSnapshot = z
  .object({
    id: z.int(),
    type: z.enum(PROVIDER_TYPES),
    slug: z.string(),
    name: z.string(),
    is_enabled: z.boolean(),
    policy: z.object({
      email_claim: z.string(),
      email_verified_claim: z.string(),
      name_claim: z.string().nullable(),
      groups_claim: z.string().nullable(),
      roles_claim: z.string().nullable(),
      creates_people: z.boolean(),
      allowed_domains: z.array(z.string()),
      trusts_emails: z.boolean(),
      default_role: z.enum(MAPPED_ROLES),
      role_mapping: z.array(z.object({ value: z.string(), role: z.enum(MAPPED_ROLES) })),
      group_prefix: z.string(),
    }),
    oidc: z
      .object({
        issuer: z.string(),
        client_id: z.string(),
        has_client_secret: z.boolean(),
        client_auth: z.enum(CLIENT_AUTH_METHODS),
        scopes: z.string(),
        clock_skew_seconds: z.int(),
        ends_provider_session: z.boolean(),
      })
      .nullable(),
    ldap: LdapSnapshot.nullable(),
    saml: SamlSnapshot.nullable(),
    redirect_uri: z.string().describe('Register it at the provider. Begins with `/` if PUBLIC_URL is not set.'),
    backchannel_logout_uri: z.string(),
    linked_people: z.int(),
    time_created: z.iso.datetime(),
    time_updated: z.iso.datetime(),
  })
  .meta({ id: 'SignInProviderSnapshot' })

export const Verdict = z
  .object({
    tested_at: z.iso.datetime(),
    failure: z.enum(FAILURES).nullable(),
    reason: z.string().nullable(),
    detail: z.string().nullable(),
    claims: z.record(z.string(), z.unknown()),
    identity: z
      .object({
        subject: z.string(),
        email: z.string().nullable(),
        email_verified: z.boolean(),
        name: z.string().nullable(),
        groups: z.array(z.string()).nullable(),
        roles: z.array(z.string()),
      })
      .nullable(),
    person: z.object({ email: z.string(), name: z.string().nullable(), role: z.string() }).nullable(),
    change: z.enum(['created', 'linked', 'known']).nullable().describe('What a sign-in would do.'),
    groups: z.array(z.string()),
    refused_groups: z.array(z.object({ name: z.string(), origin: z.string() })),
    kept_admin: z.boolean(),
  })
  .meta({ id: 'SignInTestVerdict' })
  .nullable()

const OidcCheck = z
  .object({
    issuer: z.string(),
    authorization_endpoint: z.string().nullable(),
    token_endpoint: z.string().nullable(),
    userinfo_endpoint: z.string().nullable(),
    end_session_endpoint: z.string().nullable(),
    supports_iss: z.boolean(),
    supports_backchannel_logout: z.boolean(),
  })
  .meta({ id: 'OidcProviderCheck' })

const LdapCheck = z
  .object({
    is_encrypted: z.boolean(),
    bound_as: z.string().nullable().describe('Null: the search is anonymous, or people are not searched for.'),
    sees_people: z.boolean().nullable().describe('Whether `search.base_dn` is there. Null: it is not set.'),
    sees_groups: z.boolean().nullable().describe('Whether `groups.base_dn` is there. Null: the person searches.'),
  })
  .meta({ id: 'LdapProviderCheck' })

const SamlCheck = z
  .object({
    certificates: z.array(Certificate),
    metadata_was_read: z.boolean().describe('False if there is no `metadata_url`.'),
  })
  .meta({ id: 'SamlProviderCheck' })

export const ProviderCheck = z
  .object({ oidc: OidcCheck.nullable(), ldap: LdapCheck.nullable(), saml: SamlCheck.nullable() })
  .meta({ id: 'SignInProviderCheck' })

export function policyOf(request: z.infer<typeof PolicyRequest> | null): ProviderPolicy {
  return {
    email_claim: request?.email_claim ?? 'email',
    email_verified_claim: request?.email_verified_claim ?? 'email_verified',
    name_claim: request?.name_claim ?? 'name',
    groups_claim: request?.groups_claim ?? null,
    roles_claim: request?.roles_claim ?? request?.groups_claim ?? null,
    creates_people: request?.creates_people ?? true,
    allowed_domains: (request?.allowed_domains ?? []).map((it) => it.toLowerCase()),
    trusts_emails: request?.trusts_emails ?? false,
    default_role: request?.default_role ?? 'basic',
    role_mapping: request?.role_mapping ?? [],
    group_prefix: request?.group_prefix ?? '',
  }
}

export function oidcOf(request: z.infer<typeof OidcRequest>): OidcProviderSettings['oidc'] {
  checkIssuer(request.issuer)
  const scopes = (request.scopes ?? 'openid profile email').split(' ').filter((it) => it !== '')
  return {
    issuer: request.issuer,
    client_id: request.client_id,
    client_auth: request.client_auth ?? 'client_secret_basic',
    scopes: [...new Set(['openid', ...scopes])].join(' '),
    clock_skew_seconds: request.clock_skew_seconds ?? 30,
    ends_provider_session: request.ends_provider_session ?? true,
  }
}

function checkIssuer(issuer: string): void {
  const url = URL.parse(issuer)
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(issuer))
  if (url === null || !isSecure || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    const reason = 'The field "issuer" must be an https address without user, query and fragment.'
    throw new AppError('INVALID_INPUT', { reason })
  }
}

type SnapshotServices = RouteServices<'db'>

export async function snapshotOf(
  { db }: SnapshotServices,
  provider: StoredProvider,
  serviceUrl: string | null,
): Promise<z.infer<typeof ProviderSnapshot>> {
  const { id, type, slug, name, is_enabled, time_created, time_updated } = provider
  const { allowed_domains, role_mapping, ...policy } = policyOf(null)
  const stored = { ...policy, ...provider.settings }
  const oidc = isOidc(provider)
    ? { ...provider.settings.oidc, has_client_secret: provider.secrets?.client_secret !== undefined }
    : null
  const ldap = isLdap(provider) ? ldapSnapshotOf(provider) : null
  const saml = isSaml(provider) ? samlSnapshotOf(provider, serviceUrl) : null
  return {
    ...{ id, type, slug, name, is_enabled, oidc, ldap, saml },
    policy: {
      ...pickPolicy(stored),
      allowed_domains: [...stored.allowed_domains],
      role_mapping: [...stored.role_mapping],
    },
    redirect_uri: (serviceUrl ?? '') + CALLBACK_PATH,
    backchannel_logout_uri: `${serviceUrl ?? ''}/auth/oidc/backchannel-logout/${slug}`,
    linked_people: await countLinkedPeople(db, id),
    time_created: iso(time_created),
    time_updated: iso(time_updated),
  }
}

const pickPolicy = (it: ProviderPolicy) => ({
  ...{ email_claim: it.email_claim, email_verified_claim: it.email_verified_claim, name_claim: it.name_claim },
  ...{ groups_claim: it.groups_claim, roles_claim: it.roles_claim, creates_people: it.creates_people },
  ...{ trusts_emails: it.trusts_emails, default_role: it.default_role, group_prefix: it.group_prefix },
})

export function verdictOf({
  verdict,
  verdict_at,
}: {
  verdict: SignInVerdict
  verdict_at: number
}): z.infer<typeof Verdict> {
  const { failure, detail, claims, result, identity } = verdict
  const read = identity && { ...identity, groups: identity.groups && [...identity.groups], roles: [...identity.roles] }
  return {
    tested_at: iso(verdict_at),
    ...{ failure, detail, claims, identity: read },
    reason: failure === null ? null : SIGN_IN_FAILURES[failure],
    person: result && { email: result.person.email, name: result.person.name, role: result.person.role },
    change: result?.change ?? null,
    groups: result?.groups ?? [],
    refused_groups: result?.refused_groups ?? [],
    kept_admin: result?.kept_admin ?? false,
  }
}
