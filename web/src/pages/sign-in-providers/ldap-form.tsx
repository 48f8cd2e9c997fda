// The settings of an LDAP directory.
import { Checkbox, NativeSelect, PasswordInput } from '@mantine/core'
import { textsOf } from '../../text/texts.ts'
import {
  type FieldsProps,
  MoreSettings,
  PemField,
  ProviderFormFrame,
  type ProviderFormProps,
  type TextField,
  TextFields,
  useFields,
  VouchesField,
} from './form-fields.tsx'
import { FINDINGS, type LdapValues, ldapValuesOf, saveLdapProvider } from './ldap-values.ts'
import { AccountFields, mappingFault, PolicyTexts, policyTexts, TrustField } from './policy-fields.tsx'

/** The fields of one line of text, with their greatest lengths. */
const LENGTHS = {
  url: 500,
  dn_template: 1_000,
  base_dn: 1_000,
  filter: 2_000,
  bind_dn: 1_000,
  groups_base_dn: 1_000,
  groups_filter: 2_000,
  subject_attribute: 200,
  group_name_attribute: 200,
} satisfies Partial<Record<keyof LdapValues, number>>
type TextName = keyof typeof LENGTHS
const REQUIRED: readonly TextName[] = ['url', 'dn_template', 'base_dn', 'filter']

const textField = (name: TextName): TextField<TextName> => {
  const t = textsOf('admin.sign_in.form.ldap')
  const isRequired = REQUIRED.includes(name)
  return { name, label: t(name), description: t(`${name}_help`), maxLength: LENGTHS[name], isRequired }
}

export function LdapForm({ provider, onDone }: ProviderFormProps) {
  const { values, set } = useFields(() => ldapValuesOf(provider))
  const fields = { values, set }
  const before = provider?.ldap?.subject_attribute
  const isOtherSubject = before !== undefined && (values.subject_attribute.trim() || 'entryUUID') !== before
  const t = textsOf('admin.sign_in.form')
  const attributes = policyTexts('attribute', { email: 'mail', name: 'cn' })
  const groupsAttribute = { ...attributes.groups, description: t('ldap.groups_attribute_help') }
  const texts = (...names: TextName[]) => (
    <TextFields fields={names.map(textField)} values={values} onChange={(name, text) => set({ [name]: text })} />
  )
  return (
    <ProviderFormFrame
      {...fields}
      {...(provider !== undefined && { provider })}
      onDone={onDone}
      onSave={() => saveLdapProvider(provider, values)}
      hasFault={mappingFault(values) !== null}
      otherAccounts={isOtherSubject ? 'subject' : null}
    >
      {texts('url')}
      <FindingField {...fields} />
      {values.finding === 'template' ? texts('dn_template') : texts('base_dn', 'filter', 'bind_dn')}
      {values.finding === 'search' && values.bind_dn.trim() !== '' && (
        <BindPassword {...fields} hasPassword={provider?.ldap?.search?.has_bind_password === true} />
      )}
      {texts('groups_base_dn', 'groups_filter')}
      <VouchesField {...fields} label={t('vouches_ldap')} />
      <PolicyTexts {...fields} fields={[attributes.domains]} />
      <AccountFields {...fields} />
      <MoreSettings>
        <TlsFields {...fields} />
        {texts('subject_attribute')}
        <PolicyTexts {...fields} fields={[attributes.email, attributes.name, groupsAttribute, attributes.roles]} />
        {texts('group_name_attribute')}
        <PolicyTexts {...fields} fields={[attributes.prefix]} />
        <TrustField {...fields} />
      </MoreSettings>
    </ProviderFormFrame>
  )
}

function FindingField({ values, set }: FieldsProps<LdapValues>) {
  const t = textsOf('admin.sign_in.form.ldap')
  return (
    <NativeSelect
      label={t('finding')}
      data={FINDINGS.map((value) => ({ value, label: t(`findings.${value}`) }))}
      value={values.finding}
      onChange={({ currentTarget: { value } }) => set({ finding: FINDINGS.find((it) => it === value) ?? 'search' })}
    />
  )
}

function BindPassword({ values, set, hasPassword }: FieldsProps<LdapValues> & { hasPassword: boolean }) {
  const t = textsOf('admin.sign_in.form.ldap')
  return (
    <PasswordInput
      label={t('bind_password')}
      description={hasPassword ? t('bind_password_help') : ''}
      value={values.bind_password}
      onChange={(event) => set({ bind_password: event.currentTarget.value })}
      autoComplete="off"
      visibilityToggleButtonProps={{ 'aria-label': t('show_bind_password') }}
      maxLength={2_000}
      required={!hasPassword}
    />
  )
}

function TlsFields({ values, set }: FieldsProps<LdapValues>) {
  const t = textsOf('admin.sign_in.form.ldap')
  return (
    <>
      {!values.url.trim().toLowerCase().startsWith('ldaps:') && (
        <Checkbox
          label={t('start_tls')}
          description={t('start_tls_help')}
          checked={values.start_tls}
          onChange={(event) => set({ start_tls: event.currentTarget.checked })}
        />
      )}
      <PemField
        label={t('ca')}
        description={t('ca_help')}
        value={values.ca}
        onChange={(ca) => set({ ca })}
        maxLength={20_000}
      />
    </>
  )
}
