// The settings of a SAML provider.
import { Button, Checkbox, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { readSamlMetadata } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import {
  type FieldsProps,
  MoreSettings,
  ProviderFormFrame,
  type ProviderFormProps,
  type TextField,
  TextFields,
  useFields,
} from './form-fields.tsx'
import { AccountFields, mappingFault, PolicyTexts, policyTexts, TrustField } from './policy-fields.tsx'
import { metadataValuesOf, type SamlValues, samlValuesOf, saveSamlProvider } from './saml-values.ts'

type Fields = TextField<'entity_id' | 'sso_url' | 'metadata_url' | 'name_id_format' | 'subject_attribute'>

const ADDRESSES: Fields[] = [
  {
    ...{ name: 'entity_id', label: 'Entity ID of the provider', maxLength: 1_000, isRequired: true },
    description: 'Also called issuer or identifier.',
  },
  {
    ...{ name: 'sso_url', label: 'SSO URL', maxLength: 2_000, isRequired: true },
    description: 'SingleSignOnService with the binding HTTP-Redirect.',
  },
]
const ACCOUNT: Fields[] = [
  {
    ...{ name: 'subject_attribute', label: 'Attribute of the account', maxLength: 200 },
    description: 'No other account ever gets its value. Empty: NameID.',
  },
  {
    ...{ name: 'name_id_format', label: 'Format of NameID', maxLength: 200 },
    description: 'Such as urn:oasis:names:tc:SAML:2.0:nameid-format:persistent. Empty: the provider chooses.',
  },
]
const METADATA: Fields[] = [
  {
    ...{ name: 'metadata_url', label: 'Metadata URL', maxLength: 2_000 },
    description: 'Check compares these settings with the metadata there.',
  },
]
const ATTRIBUTES = policyTexts('attribute', { email: 'email', name: 'name' })

export function SamlForm({ provider, onDone }: ProviderFormProps) {
  const { values, set } = useFields(() => samlValuesOf(provider))
  const fields = { values, set }
  const texts = (some: Fields[]) => (
    <TextFields fields={some} values={values} onChange={(name, text) => set({ [name]: text })} />
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
      {texts(ADDRESSES)}
      <Textarea
        label="Certificates of the provider (PEM)"
        description="With RSA keys. Two while the provider changes its key."
        value={values.certificates}
        onChange={(event) => set({ certificates: event.currentTarget.value })}
        maxLength={100_000}
        minRows={3}
        maxRows={10}
        autosize
        spellCheck={false}
        required
      />
      <PolicyTexts {...fields} fields={[ATTRIBUTES.email, ATTRIBUTES.name, ATTRIBUTES.groups]} />
      <Checkbox
        label="People cannot change their own e-mail address at the provider"
        description="An address then finds the person who has it here."
        checked={values.vouches_for_emails}
        onChange={(event) => set({ vouches_for_emails: event.currentTarget.checked })}
      />
      <PolicyTexts {...fields} fields={[ATTRIBUTES.domains]} />
      <AccountFields {...fields} />
      <MoreSettings>
        {texts(ACCOUNT)}
        <PolicyTexts {...fields} fields={[ATTRIBUTES.verified, ATTRIBUTES.roles, ATTRIBUTES.prefix]} />
        <TrustField {...fields} />
        <ProtocolFields {...fields} />
        {texts(METADATA)}
      </MoreSettings>
    </ProviderFormFrame>
  )
}

/** The change after which the accounts are others. */
function changeOf(provider: ProviderFormProps['provider'], values: SamlValues): string | null {
  const before = samlValuesOf(provider)
  if (provider === undefined) return null
  if (values.entity_id.trim() !== before.entity_id) return 'Another entity ID'
  if (values.subject_attribute.trim() !== before.subject_attribute) return 'Another attribute of the account'
  const isOtherFormat = values.name_id_format.trim() !== before.name_id_format
  return isOtherFormat && values.subject_attribute.trim() === '' ? 'Another format of NameID' : null
}

/** Fills entity ID, SSO URL and certificates. */
function MetadataImport({ set }: FieldsProps<SamlValues>) {
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
        label="Metadata of the provider"
        description="Its address, or the XML. It fills the next three fields, which you can also fill yourself."
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
          Read the metadata
        </Button>
      </div>
      {read.isError && <ErrorAlert error={read.error} />}
      {read.data !== undefined && (
        <p className="small" role="status">
          The metadata was read.
          {read.data.wants_signed_requests && ' The provider asks for signed requests: allow unsigned ones there.'}
        </p>
      )}
    </>
  )
}

const ProtocolFields = ({ values, set }: FieldsProps<SamlValues>) => (
  <>
    <Checkbox
      label="Accept sign-ins that begin at the provider"
      description="Another site can then sign a browser in with an account of its own."
      checked={values.allows_idp_initiated}
      onChange={(event) => set({ allows_idp_initiated: event.currentTarget.checked })}
    />
    <TextInput
      type="number"
      label="Clock skew in seconds"
      description="The difference of the clocks that is accepted, up to 300. Empty: 60."
      value={values.clock_skew_seconds}
      onChange={(event) => set({ clock_skew_seconds: event.currentTarget.value })}
      min={0}
      max={300}
      step={1}
    />
  </>
)
