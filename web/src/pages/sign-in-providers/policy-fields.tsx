// How the answer of a provider becomes a person, groups and a role: the fields that all protocols have.
import { Checkbox, NativeSelect, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { SignInPolicyRequest, SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'
import { roleChoices } from '../people/roles.ts'
import { type FieldsProps, type TextField, TextFields } from './form-fields.tsx'

type Policy = SignInProviderSnapshot['policy']
type MappedRole = Policy['default_role']

const MAPPED_ROLES = ['admin', 'global_curator', 'basic', 'limited'] as const
const isMappedRole = (text: string): text is MappedRole => MAPPED_ROLES.some((it) => it === text)

export interface PolicyValues {
  email_claim: string
  email_verified_claim: string
  name_claim: string
  groups_claim: string
  roles_claim: string
  group_prefix: string
  allowed_domains: string
  creates_people: boolean
  trusts_emails: boolean
  default_role: MappedRole
  /** A line each: group = role. */
  mapping: string
}

type PolicyTextName = Exclude<keyof PolicyValues, 'creates_people' | 'trusts_emails' | 'default_role' | 'mapping'>

const MAX_CLAIM = 200

/** `word`: the protocol's name of a claim. The defaults are those of the service. */
export function policyTexts(word: 'claim' | 'attribute', defaults: { email: string; name: string }) {
  const t = textsOf('admin.sign_in.form.policy')
  const claim = (name: PolicyTextName, label: string, description: string): TextField<PolicyTextName> => ({
    ...{ name, label, description, maxLength: MAX_CLAIM },
  })
  return {
    groups: claim('groups_claim', t(`${word}.groups`), t('groups_help')),
    roles: claim('roles_claim', t(`${word}.roles`), t(`${word}.roles_help`)),
    email: claim('email_claim', t(`${word}.email`), t('empty_is', { value: defaults.email })),
    name: claim('name_claim', t(`${word}.name`), t('empty_is', { value: defaults.name })),
    verified: claim('email_verified_claim', t(`${word}.verified`), t('verified_help')),
    prefix: { ...claim('group_prefix', t('prefix'), t('prefix_help')), maxLength: 100 },
    domains: { ...claim('allowed_domains', t('domains'), t('domains_help')), maxLength: 10_000 },
  }
}

export const PolicyTexts = ({
  fields,
  values,
  set,
}: FieldsProps<PolicyValues> & { fields: readonly TextField<PolicyTextName>[] }) => (
  <TextFields fields={fields} values={values} onChange={(name, text) => set({ [name]: text })} />
)

/** The rules for new accounts and roles. */
export function AccountFields({ values, set }: FieldsProps<PolicyValues>) {
  const t = textsOf('admin.sign_in.form.policy')
  const [isMappingLeft, setIsMappingLeft] = useState(false)
  const fault = mappingFault(values)
  return (
    <>
      <Checkbox
        label={t('creates_people')}
        checked={values.creates_people}
        onChange={(event) => set({ creates_people: event.currentTarget.checked })}
      />
      <NativeSelect
        label={t('default_role')}
        data={roleChoices(MAPPED_ROLES)}
        value={values.default_role}
        onChange={({ currentTarget: { value } }) => {
          if (isMappedRole(value)) set({ default_role: value })
        }}
      />
      <Textarea
        label={t('mapping')}
        description={t('mapping_help', { roles: ROLE_NAMES })}
        value={values.mapping}
        onChange={(event) => set({ mapping: event.currentTarget.value })}
        onBlur={() => setIsMappingLeft(true)}
        error={isMappingLeft ? fault : null}
        minRows={2}
        maxLength={100_000}
        autosize
      />
    </>
  )
}

export const TrustField = ({ values, set }: FieldsProps<PolicyValues>) => (
  <Checkbox
    label={textsOf('admin.sign_in.form.policy')('trusts_emails')}
    checked={values.trusts_emails}
    onChange={(event) => set({ trusts_emails: event.currentTarget.checked })}
  />
)

/** A roles claim that follows the groups claim is shown empty. */
export const policyValuesOf = (policy: Policy | undefined): PolicyValues => ({
  email_claim: policy?.email_claim ?? '',
  email_verified_claim: policy?.email_verified_claim ?? '',
  name_claim: policy?.name_claim ?? '',
  groups_claim: policy?.groups_claim ?? '',
  roles_claim: policy === undefined || policy.roles_claim === policy.groups_claim ? '' : (policy.roles_claim ?? ''),
  group_prefix: policy?.group_prefix ?? '',
  allowed_domains: policy?.allowed_domains.join(' ') ?? '',
  creates_people: policy?.creates_people ?? true,
  trusts_emails: policy?.trusts_emails ?? false,
  default_role: policy?.default_role ?? 'basic',
  mapping: policy?.role_mapping.map(({ value, role }) => `${value} = ${role}`).join('\n') ?? '',
})

/** The service replaces an empty text by its default. */
export const policyOf = (values: PolicyValues): SignInPolicyRequest => ({
  email_claim: textOrNull(values.email_claim),
  email_verified_claim: textOrNull(values.email_verified_claim),
  name_claim: textOrNull(values.name_claim),
  groups_claim: textOrNull(values.groups_claim),
  roles_claim: textOrNull(values.roles_claim),
  group_prefix: values.group_prefix,
  allowed_domains: values.allowed_domains.split(/[\s,]/).filter((it) => it !== ''),
  creates_people: values.creates_people,
  trusts_emails: values.trusts_emails,
  default_role: values.default_role,
  role_mapping: linesOf(values.mapping).flatMap((line) => readMapping(line) ?? []),
})

export const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

const ROLE_NAMES = MAPPED_ROLES.join(', ')

const MAX_SHOWN = 100

/** Null if every line names a group and a role. */
export function mappingFault({ mapping }: Pick<PolicyValues, 'mapping'>): string | null {
  const wrong = linesOf(mapping).find((line) => readMapping(line) === null)
  const t = textsOf('admin.sign_in.form.policy')
  return wrong === undefined ? null : t('mapping_fault', { line: wrong.slice(0, MAX_SHOWN), roles: ROLE_NAMES })
}

const linesOf = (text: string): string[] => text.split('\n').filter((it) => it.trim() !== '')

function readMapping(line: string): { value: string; role: MappedRole } | null {
  const at = line.lastIndexOf('=')
  const [value, role] = [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()]
  return value !== '' && isMappedRole(role) ? { value, role } : null
}
