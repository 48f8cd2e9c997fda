// The settings of a SAML provider.
import { Button, Checkbox, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { readSamlMetadata } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import {
  ClockSkewField,
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
import { AccountFields, mappingFault, PolicyTexts, policyTexts, TrustField } from './policy-fields.tsx'
import { metadataValuesOf, type SamlValues, samlValuesOf, saveSamlProvider } from './saml-values.ts'

/** The fields of one line of text, with their greatest lengths. */
const LENGTHS = { entity_id: 1_000, sso_url: 2_000, metadata_url: 2_000, name_id_format: 200, subject_attribute: 200 }
type TextName = keyof typeof LENGTHS
const REQUIRED: readonly TextName[] = ['entity_id', 'sso_url']
/** The default of the service for an empty field. */
const CLOCK_SKEW_SECONDS = 60

const textField = (name: TextName): TextField<TextName> => {
  const t = textsOf('admin.sign_in.form.saml')
  const isRequired = REQUIRED.includes(name)
  return { name, label: t(name), description: t(`${name}_help`), maxLength: LENGTHS[name], isRequired }
}

export function SamlForm({ provider, onDone }: ProviderFormProps) {
  const t = textsOf('admin.sign_in.form')
  const { values, set } = useFields(() => samlValuesOf(provider))
  const fields = { values, set }
  const attributes = policyTexts('attribute', { email: 'email', name: 'name' })
  const texts = (...names: TextName[]) => (
    <TextFields fields={names.map(textField)} values={values} onChange={(name, text) => set({ [name]: text })} />
  )
  return (
    <ProviderFormFrame
      {...fields}
      {...(provider !== undefined && { provider })}
      onDone={onDone}
      onSave={() => saveSamlProvider(provider, values)}
      hasFault={mappingFault(values) !== null}
      otherAccounts={changeOf(provider, values)}
    >
      <MetadataImport {...fields} />
      {texts('entity_id', 'sso_url')}
      <PemField
        label={t('saml.certificates')}
        description={t('saml.certificates_help')}
        value={values.certificates}
        onChange={(certificates) => set({ certificates })}
        maxLength={100_000}
        isRequired
      />
      <PolicyTexts {...fields} fields={[attributes.email, attributes.name, attributes.groups]} />
      <VouchesField {...fields} label={t('vouches')} />
      <PolicyTexts {...fields} fields={[attributes.domains]} />
      <AccountFields {...fields} />
      <MoreSettings>
        {texts('subject_attribute', 'name_id_format')}
        <PolicyTexts {...fields} fields={[attributes.verified, attributes.roles, attributes.prefix]} />
        <TrustField {...fields} />
        <Checkbox
          label={t('saml.idp_initiated')}
          description={t('saml.idp_initiated_help')}
          checked={values.allows_idp_initiated}
          onChange={(event) => set({ allows_idp_initiated: event.currentTarget.checked })}
        />
        <ClockSkewField {...fields} seconds={CLOCK_SKEW_SECONDS} />
        {texts('metadata_url')}
      </MoreSettings>
    </ProviderFormFrame>
  )
}

/** The change after which the accounts are others. */
function changeOf(provider: ProviderFormProps['provider'], values: SamlValues) {
  const before = samlValuesOf(provider)
  if (provider === undefined) return null
  if (values.entity_id.trim() !== before.entity_id) return 'entity_id'
  if (values.subject_attribute.trim() !== before.subject_attribute) return 'subject'
  const isOtherFormat = values.name_id_format.trim() !== before.name_id_format
  return isOtherFormat && values.subject_attribute.trim() === '' ? 'name_id' : null
}

/** Fills entity ID, SSO URL and certificates. */
function MetadataImport({ set }: FieldsProps<SamlValues>) {
  const t = textsOf('admin.sign_in.form.saml')
  const [text, setText] = useState('')
  const read = useMutation({
    mutationFn: () => {
      const metadata = text.trim()
      return readSamlMetadata(api, { body: metadata.startsWith('<') ? { xml: metadata } : { url: metadata } })
    },
    onSuccess: (metadata, _) => {
      const isAddress = !text.trim().startsWith('<')
      set({ ...metadataValuesOf(metadata), ...(isAddress && { metadata_url: text.trim() }) })
    },
  })
  return (
    <>
      <Textarea
        label={t('metadata')}
        description={t('metadata_help')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maxLength={524_288}
        minRows={1}
        maxRows={6}
        autosize
        spellCheck={false}
      />
      <div>
        <Button
          variant="default"
          size="xs"
          loading={read.isPending}
          disabled={text.trim() === ''}
          onClick={() => read.mutate()}
        >
          {t('read_metadata')}
        </Button>
      </div>
      {read.isError && <ErrorAlert error={read.error} />}
      {read.data !== undefined && (
        <p className="small" role="status">
          {t('metadata_read')}
          {read.data.wants_signed_requests && <span> {t('wants_signed')}</span>}
        </p>
      )}
    </>
  )
}
