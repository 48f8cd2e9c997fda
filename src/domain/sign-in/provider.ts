// A provider that says who a person is, and how its answers become people, groups and roles.
import type { Role } from '../subject.ts'

export const PROVIDER_TYPES = ['oidc', 'saml', 'ldap'] as const
export type ProviderType = (typeof PROVIDER_TYPES)[number]

/** `test`: an administrator tries the provider; nothing is changed. */
export type SignInPurpose = 'sign_in' | 'test'

/** The role `curator` follows from the groups that a person curates, so no provider gives it. */
export const MAPPED_ROLES = ['admin', 'global_curator', 'basic', 'limited'] as const satisfies readonly Role[]
export type MappedRole = (typeof MAPPED_ROLES)[number]

/** The names of claims or attributes. Null: the provider does not send it. */
export interface ClaimMapping {
  email_claim: string
  /** The claim that says whether the address is verified; its value must be true or 1. */
  email_verified_claim: string
  name_claim: string | null
  groups_claim: string | null
  roles_claim: string | null
}

/** The part of a provider's settings that every protocol has. */
export interface ProviderPolicy extends ClaimMapping {
  /** If false, only people who exist sign in. */
  creates_people: boolean
  /** In lower case. Empty: all. */
  allowed_domains: readonly string[]
  /**
   * Creates people whose addresses are not said to be verified. A person who exists is still found only by a verified
   * address.
   */
  trusts_emails: boolean
  default_role: MappedRole
  /** If not empty, each sign-in sets the role: the highest that is mapped, else `default_role`. */
  role_mapping: readonly { value: string; role: MappedRole }[]
  /** Put before the names of groups. */
  group_prefix: string
}

/** The part of a provider that a sign-in needs. */
export interface ProviderIdentity {
  id: number
  type: ProviderType
  slug: string
  name: string
}

/** The origin of groups that the provider reports. */
export const originOf = ({ type, slug }: Pick<ProviderIdentity, 'type' | 'slug'>): string => `${type}:${slug}`

export const CLIENT_AUTH_METHODS = ['client_secret_basic', 'client_secret_post'] as const

/** The part of the settings that OpenID Connect has. */
export interface OidcSettings {
  /** As the discovery document names it. */
  issuer: string
  client_id: string
  client_auth: (typeof CLIENT_AUTH_METHODS)[number]
  /** Separated by spaces; with `openid`. */
  scopes: string
  clock_skew_seconds: number
  /** Whether a logout here leads to the logout at the provider. */
  ends_provider_session: boolean
}

/** The stored settings of a provider: its own part has the name of the protocol. */
export interface OidcProviderSettings extends ProviderPolicy {
  oidc: OidcSettings
}

/** The part of the settings that LDAP has. */
export interface LdapSettings {
  /** `ldap://` or `ldaps://` with a host and, if it is not the usual one, a port. */
  url: string
  /** Only a server on this machine may do without TLS. */
  start_tls: boolean
  /** A PEM certificate trusted in addition to the system's. */
  ca: string | null
  people: LdapNames | LdapSearch
  /** Unique and never given to another account, such as entryUUID or objectGUID. */
  subject_attribute: string
  /** Only administrators of the directory write the address, so that it proves who a person is. */
  vouches_for_emails: boolean
  /** Null: groups are not searched. */
  groups: LdapGroups | null
}

/** The name of a person's entry follows from the user name. */
export interface LdapNames {
  kind: 'template'
  /** With `{username}`. */
  dn_template: string
}

/** The entry of a person is searched for. */
export interface LdapSearch {
  kind: 'search'
  /** Null: the search is anonymous. */
  bind_dn: string | null
  base_dn: string
  /** With `{username}`. */
  filter: string
}

export interface LdapGroups {
  base_dn: string
  /** With `{dn}` or `{username}`. */
  filter: string
  name_attribute: string
}

export interface LdapProviderSettings extends ProviderPolicy {
  ldap: LdapSettings
}

/** The part of the settings that SAML has. */
export interface SamlSettings {
  /** The provider's, as its metadata and its assertions name it. */
  entity_id: string
  /** Where a browser goes to sign in: the HTTP-Redirect binding. */
  sso_url: string
  /** In PEM, with RSA keys. Several while the provider changes its key. */
  certificates: readonly string[]
  /** A check compares the settings with the metadata there. */
  metadata_url: string | null
  /** The format of NameID that is asked for; null leaves it to the provider. */
  name_id_format: string | null
  /** Null: NameID is the account. */
  subject_attribute: string | null
  /** Only administrators of the provider write the address, so that it proves who a person is. */
  vouches_for_emails: boolean
  /** Accepts responses that nobody asked for here. */
  allows_idp_initiated: boolean
  clock_skew_seconds: number
}

export interface SamlProviderSettings extends ProviderPolicy {
  saml: SamlSettings
}
