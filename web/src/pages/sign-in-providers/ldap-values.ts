// The settings of an LDAP directory as its form holds them, and as the service takes them.
import { createSignInProvider, updateSignInProvider } from '../../../../src/client/operations.ts'
import type { LdapSettingsRequest, SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { type CommonValues, commonValuesOf } from './form-fields.tsx'
import { type PolicyValues, policyOf, policyValuesOf, textOrNull } from './policy-fields.tsx'

/** How the entry of a person is found: by a search, or by a name that follows from the user name. */
export const FINDINGS = ['search', 'template'] as const

export interface LdapValues extends CommonValues, PolicyValues {
  url: string
  start_tls: boolean
  ca: string
  finding: (typeof FINDINGS)[number]
  dn_template: string
  bind_dn: string
  bind_password: string
  base_dn: string
  filter: string
  subject_attribute: string
  vouches_for_emails: boolean
  groups_base_dn: string
  groups_filter: string
  group_name_attribute: string
}

/** The groups that are searched are in this claim, unless the policy names another. */
const GROUPS_CLAIM = 'groups'

export const ldapValuesOf = (provider: SignInProviderSnapshot | undefined): LdapValues => {
  const ldap = provider?.ldap
  const policy = policyValuesOf(provider?.policy)
  const isSearched = ldap?.groups != null && policy.groups_claim === GROUPS_CLAIM
  return {
    ...commonValuesOf(provider),
    ...{ ...policy, groups_claim: isSearched ? '' : policy.groups_claim },
    url: ldap?.url ?? '',
    start_tls: ldap?.url.startsWith('ldap:') ? ldap.start_tls : true,
    ca: ldap?.ca ?? '',
    finding: ldap?.dn_template == null ? 'search' : 'template',
    dn_template: ldap?.dn_template ?? '',
    bind_dn: ldap?.search?.bind_dn ?? '',
    bind_password: '',
    base_dn: ldap?.search?.base_dn ?? '',
    filter: ldap?.search?.filter ?? '',
    subject_attribute: ldap?.subject_attribute ?? '',
    vouches_for_emails: ldap?.vouches_for_emails ?? false,
    groups_base_dn: ldap?.groups?.base_dn ?? '',
    groups_filter: ldap?.groups?.filter ?? '',
    group_name_attribute: ldap?.groups?.name_attribute ?? '',
  }
}

const ldapOf = (values: LdapValues): LdapSettingsRequest => ({
  url: values.url.trim(),
  start_tls: values.url.trim().toLowerCase().startsWith('ldaps:') ? null : values.start_tls,
  ca: textOrNull(values.ca),
  dn_template: values.finding === 'template' ? values.dn_template.trim() : null,
  search: values.finding === 'search' ? searchOf(values) : null,
  subject_attribute: textOrNull(values.subject_attribute),
  vouches_for_emails: values.vouches_for_emails,
  groups: textOrNull(values.groups_base_dn) === null ? null : groupsOf(values),
})

const searchOf = ({ bind_dn, bind_password, base_dn, filter }: LdapValues) => ({
  ...{ base_dn: base_dn.trim(), filter: filter.trim(), bind_dn: textOrNull(bind_dn) },
  // A space may be a part of a password.
  bind_password: textOrNull(bind_dn) === null || bind_password === '' ? null : bind_password,
})

const groupsOf = ({ groups_base_dn, groups_filter, group_name_attribute }: LdapValues) => ({
  ...{ base_dn: groups_base_dn.trim(), filter: groups_filter.trim() },
  name_attribute: textOrNull(group_name_attribute),
})

export function saveLdapProvider(provider: SignInProviderSnapshot | undefined, values: LdapValues): Promise<unknown> {
  const { name, slug, forget_accounts } = values
  const [policy, ldap] = [policyOf(values), ldapOf(values)]
  return provider === undefined
    ? createSignInProvider(api, { body: { slug, name, policy, ldap } })
    : updateSignInProvider(api, { provider_id: provider.id, body: { name, policy, ldap, forget_accounts } })
}
