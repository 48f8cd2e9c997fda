// The settings of an LDAP directory.
import { Checkbox, NativeSelect, PasswordInput, Textarea } from '@mantine/core'
import { isKeyOf } from '../../parts/is-key-of.ts'
import {
  type FieldsProps,
  MoreSettings,
  ProviderFormFrame,
  type ProviderFormProps,
  type TextField,
  TextFields,
  useFields,
} from './form-fields.tsx'
import { FINDING, type LdapValues, ldapValuesOf, saveLdapProvider } from './ldap-values.ts'
import { AccountFields, mappingFault, PolicyTexts, policyTexts, TrustField } from './policy-fields.tsx'

type TextName = { [Name in keyof LdapValues]: string extends LdapValues[Name] ? Name : never }[keyof LdapValues]
type Fields = TextField<TextName>

const SERVER: Fields = {
  ...{ name: 'url', label: 'Server', maxLength: 500, isRequired: true },
  description: 'ldaps://host, or ldap://host with StartTLS; with a port if it is not 636 or 389.',
}
const TEMPLATE: Fields = {
  ...{ name: 'dn_template', label: 'Name of the entry', maxLength: 1_000, isRequired: true },
  description: 'With {username}: uid={username},ou=people,dc=example,dc=org',
}
const SEARCH: Fields[] = [
  {
    ...{ name: 'base_dn', label: 'Search people below', maxLength: 1_000, isRequired: true },
    description: 'Such as ou=people,dc=example,dc=org',
  },
  {
    ...{ name: 'filter', label: 'Filter of people', maxLength: 2_000, isRequired: true },
    description:
      'With {username}: (&(objectClass=person)(uid={username})). Active Directory: (&(objectCategory=person)(sAMAccountName={username}))',
  },
]
const BIND: Fields = {
  ...{ name: 'bind_dn', label: 'Account that searches', maxLength: 1_000 },
  description: 'The name of its entry. Empty: the search is anonymous.',
}
const GROUPS: Fields[] = [
  {
    ...{ name: 'groups_base_dn', label: 'Search groups below', maxLength: 1_000 },
    description: 'Such as ou=groups,dc=example,dc=org. Empty: groups are not searched.',
  },
  {
    ...{ name: 'groups_filter', label: 'Filter of groups', maxLength: 2_000 },
    description: 'With {dn} or {username}: (&(objectClass=groupOfNames)(member={dn}))',
  },
]
const SUBJECT: Fields = {
  ...{ name: 'subject_attribute', label: 'Attribute of the account', maxLength: 200 },
  description: 'No other account ever gets its value. Empty: entryUUID. Active Directory: objectGUID.',
}
const GROUP_NAME: Fields = {
  ...{ name: 'group_name_attribute', label: 'Attribute with the name of a group', maxLength: 200 },
  description: 'Empty: cn.',
}
const ATTRIBUTES = policyTexts('attribute', { email: 'mail', name: 'cn' })
const GROUPS_ATTRIBUTE = { ...ATTRIBUTES.groups, description: 'Such as memberOf, instead of a search for groups.' }

export function LdapForm({ provider, onDone }: ProviderFormProps) {
  const { values, set } = useFields(() => ldapValuesOf(provider))
  const fields = { values, set }
  const before = provider?.ldap?.subject_attribute
  const isOtherSubject = before !== undefined && (values.subject_attribute.trim() || 'entryUUID') !== before
  const texts = (some: Fields[]) => (
    <TextFields fields={some} values={values} onChange={(name, text) => set({ [name]: text })} />
  )
  return (
    <ProviderFormFrame
      {...fields}
      {...(provider !== undefined && { provider })}
      onDone={onDone}
      onSave={() => saveLdapProvider(provider, values)}
      hasFault={mappingFault(values) !== null}
      otherAccounts={isOtherSubject ? 'Another attribute of the account' : null}
    >
      {texts([SERVER])}
      <NativeSelect
        label="The entry of a person"
        data={Object.entries(FINDING).map(([value, label]) => ({ value, label }))}
        value={values.finding}
        onChange={({ currentTarget: { value } }) => {
          if (isKeyOf(FINDING, value)) set({ finding: value })
        }}
      />
      {values.finding === 'template' ? texts([TEMPLATE]) : texts(SEARCH)}
      {values.finding === 'search' && texts([BIND])}
      {values.finding === 'search' && values.bind_dn.trim() !== '' && (
        <BindPassword {...fields} hasPassword={provider?.ldap?.search?.has_bind_password === true} />
      )}
      {texts(GROUPS)}
      <Checkbox
        label="People cannot change their own e-mail address in the directory"
        description="An address then finds the person who has it here."
        checked={values.vouches_for_emails}
        onChange={(event) => set({ vouches_for_emails: event.currentTarget.checked })}
      />
      <PolicyTexts {...fields} fields={[ATTRIBUTES.domains]} />
      <AccountFields {...fields} />
      <MoreSettings>
        <TlsFields {...fields} />
        {texts([SUBJECT])}
        <PolicyTexts {...fields} fields={[ATTRIBUTES.email, ATTRIBUTES.name, GROUPS_ATTRIBUTE, ATTRIBUTES.roles]} />
        {texts([GROUP_NAME])}
        <PolicyTexts {...fields} fields={[ATTRIBUTES.prefix]} />
        <TrustField {...fields} />
      </MoreSettings>
    </ProviderFormFrame>
  )
}

const BindPassword = ({ values, set, hasPassword }: FieldsProps<LdapValues> & { hasPassword: boolean }) => (
  <PasswordInput
    label="Password of that account"
    description={hasPassword ? 'Empty: the stored password stays. Another server or account needs it again.' : ''}
    value={values.bind_password}
    onChange={(event) => set({ bind_password: event.currentTarget.value })}
    autoComplete="off"
    visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password of the account' }}
    maxLength={2_000}
    required={!hasPassword}
  />
)

const TlsFields = ({ values, set }: FieldsProps<LdapValues>) => (
  <>
    {!values.url.trim().toLowerCase().startsWith('ldaps:') && (
      <Checkbox
        label="Encrypt the connection with StartTLS"
        description="Only a server on the same machine may do without."
        checked={values.start_tls}
        onChange={(event) => set({ start_tls: event.currentTarget.checked })}
      />
    )}
    <Textarea
      label="Certificate of the server's authority (PEM)"
      description="Trusted in addition to those of the system."
      value={values.ca}
      onChange={(event) => set({ ca: event.currentTarget.value })}
      maxLength={20_000}
      minRows={2}
      maxRows={8}
      autosize
      spellCheck={false}
    />
  </>
)
