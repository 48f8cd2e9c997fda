// The LDAP settings of a provider as administrators send and see them.
import { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import type { LdapSettings } from '../../../domain/sign-in/provider.ts'
import { isFilter } from '../../../sign-in/ldap/check-filter.ts'
import type { LdapProvider } from '../../../sign-in/ldap/prove-account.ts'
import { isLoopback } from '../../../sign-in/oidc/provider-clients.ts'
import { nullish, WITHOUT_NUL, wireBoolean, wireName, wireString } from '../../../wire/schemas.ts'

const MAX_DN = 1_000
const MAX_FILTER = 2_000
const MAX_ATTRIBUTE = 200
const ATTRIBUTE = /^[A-Za-z0-9;._-]+$/

const dn = () => wireString({ min: 1, max: MAX_DN, pattern: WITHOUT_NUL })
const filter = () => wireString({ min: 1, max: MAX_FILTER, pattern: WITHOUT_NUL })
const attribute = () => wireString({ min: 1, max: MAX_ATTRIBUTE, pattern: ATTRIBUTE })

export const LdapRequest = z
  .object({
    url: wireString({ min: 1, max: 500, pattern: WITHOUT_NUL }).describe(
      '`ldaps://host` or `ldap://host`, with a port if it is not 636 or 389.',
    ),
    start_tls: nullish(wireBoolean()).describe(
      'Default: true for ldap://, which only a server on this machine may do without.',
    ),
    ca: nullish(wireString({ max: 20_000, pattern: WITHOUT_NUL })).describe(
      'A certificate (PEM) trusted in addition to those of the system.',
    ),
    dn_template: nullish(dn()).describe(
      'The name of a person’s entry, with {username}: `uid={username},ou=people,dc=example,dc=org`. Either this or `search`.',
    ),
    search: nullish(
      z.object({
        bind_dn: nullish(dn()).describe('The account that searches. Null: the search is anonymous.'),
        bind_password: nullish(wireName(2_000)).describe('Write-only. Absent: the stored one stays.'),
        base_dn: dn(),
        filter: filter().describe('With {username}: `(&(objectClass=person)(uid={username}))`.'),
      }),
    ).describe('Finds the entry of a person.'),
    subject_attribute: nullish(attribute()).describe(
      'An attribute that no other account ever gets. Default: entryUUID. Active Directory has objectGUID.',
    ),
    vouches_for_emails: nullish(wireBoolean()).describe(
      'Only administrators of the directory write addresses, so that an address finds a person who exists. Default: false.',
    ),
    groups: nullish(
      z.object({
        base_dn: dn(),
        filter: filter().describe('With {dn} or {username}: `(&(objectClass=groupOfNames)(member={dn}))`.'),
        name_attribute: nullish(attribute()).describe('Default: cn.'),
      }),
    ).describe('Searches the groups of a person. The claim `groups` has their names.'),
  })
  .meta({ id: 'LdapSettingsRequest' })

export const LdapSnapshot = z
  .object({
    url: z.string(),
    start_tls: z.boolean(),
    ca: z.string().nullable(),
    dn_template: z.string().nullable(),
    search: z
      .object({
        bind_dn: z.string().nullable(),
        has_bind_password: z.boolean(),
        base_dn: z.string(),
        filter: z.string(),
      })
      .nullable(),
    subject_attribute: z.string(),
    vouches_for_emails: z.boolean(),
    groups: z.object({ base_dn: z.string(), filter: z.string(), name_attribute: z.string() }).nullable(),
  })
  .meta({ id: 'LdapSettingsSnapshot' })

export type LdapRequestBody = z.infer<typeof LdapRequest>

export function ldapOf(request: LdapRequestBody): LdapSettings {
  const { url, ca, subject_attribute, vouches_for_emails, groups } = request
  if (ca !== null && !isCertificate(ca)) refuse('ca', 'must be a certificate in PEM')
  if (groups !== null && !isFilter(groups.filter)) refuse('groups.filter', 'is no LDAP filter')
  return {
    ...{ url, start_tls: startTlsOf(request), ca, people: peopleOf(request) },
    subject_attribute: subject_attribute ?? 'entryUUID',
    vouches_for_emails: vouches_for_emails ?? false,
    groups: groups && { ...groups, name_attribute: groups.name_attribute ?? 'cn' },
  }
}

function refuse(field: string, fault: string): never {
  throw new AppError('INVALID_INPUT', { reason: `The field "${field}" ${fault}.` })
}

function startTlsOf({ url, start_tls }: LdapRequestBody): boolean {
  const parsed = URL.parse(url)
  const isAddress =
    parsed !== null &&
    ['ldap:', 'ldaps:'].includes(parsed.protocol) &&
    parsed.hostname !== '' &&
    ['', '/'].includes(parsed.pathname) &&
    `${parsed.search}${parsed.hash}${parsed.username}${parsed.password}` === ''
  if (!isAddress) refuse('url', 'must be ldaps://host or ldap://host, with a port if needed')
  if (parsed.protocol === 'ldaps:') {
    if (start_tls === true) refuse('start_tls', 'is for ldap:// only')
    return false
  }
  if (start_tls === false && !isLoopback(url)) refuse('start_tls', 'must be true for an ldap:// server elsewhere')
  return start_tls ?? true
}

function peopleOf({ dn_template, search }: LdapRequestBody): LdapSettings['people'] {
  if (search === null) {
    if (dn_template === null) refuse('dn_template', 'or "search" is missing')
    if (!dn_template.includes('={username}')) refuse('dn_template', 'must contain ={username}')
    return { kind: 'template', dn_template }
  }
  if (dn_template !== null) refuse('dn_template', 'cannot be sent together with "search"')
  if (!search.filter.includes('{username}')) refuse('search.filter', 'must contain {username}')
  if (!isFilter(search.filter)) refuse('search.filter', 'is no LDAP filter')
  const { bind_dn, bind_password, base_dn, filter } = search
  if (bind_dn !== null && !bind_dn.includes('=')) refuse('search.bind_dn', 'must be the name of an entry')
  if (bind_dn === null && bind_password !== null) refuse('search.bind_dn', 'is missing')
  return { kind: 'search', bind_dn, base_dn, filter }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined && pem.includes('-----BEGIN CERTIFICATE-----')
  } catch {
    return false
  }
}

export function ldapSnapshotOf({ settings: { ldap }, secrets }: LdapProvider): z.infer<typeof LdapSnapshot> {
  const { people, ...rest } = ldap
  if (people.kind === 'template') return { ...rest, dn_template: people.dn_template, search: null }
  const { kind: _, ...search } = people
  const has_bind_password = secrets?.bind_password !== undefined
  return { ...rest, dn_template: null, search: { ...search, has_bind_password } }
}
