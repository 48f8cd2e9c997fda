// The settings of a provider with OpenID Connect.
import { Checkbox, NativeSelect, PasswordInput, TextInput } from '@mantine/core'
import { createSignInProvider, updateSignInProvider } from '../../../../src/client/operations.ts'
import type { SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { isKeyOf } from '../../parts/is-key-of.ts'
import {
  type CommonValues,
  commonValuesOf,
  type FieldsProps,
  MoreSettings,
  ProviderFormFrame,
  type ProviderFormProps,
  type TextField,
  TextFields,
  useFields,
} from './form-fields.tsx'
import {
  AccountFields,
  mappingFault,
  PolicyTexts,
  type PolicyValues,
  policyOf,
  policyTexts,
  policyValuesOf,
  TrustField,
  textOrNull,
} from './policy-fields.tsx'

const CLIENT_AUTH = { client_secret_basic: 'In a header (basic)', client_secret_post: 'In the form (post)' }
type ClientAuth = keyof typeof CLIENT_AUTH

interface OidcValues extends CommonValues, PolicyValues {
  issuer: string
  client_id: string
  client_secret: string
  scopes: string
  client_auth: ClientAuth
  clock_skew_seconds: string
  ends_provider_session: boolean
}

const ADDRESSES: TextField<'issuer' | 'client_id'>[] = [
  {
    ...{ name: 'issuer', label: 'Issuer', maxLength: 1_000, isRequired: true },
    description: 'The address whose /.well-known/openid-configuration describes the provider.',
  },
  { name: 'client_id', label: 'Client ID', maxLength: 500, isRequired: true },
]
const SCOPES: TextField<'scopes'>[] = [
  {
    ...{ name: 'scopes', label: 'Scopes', maxLength: 1_000 },
    description: 'Separated by spaces. Empty: openid profile email.',
  },
]
const CLAIMS = policyTexts('claim', { email: 'email', name: 'name' })

export function OidcForm({ provider, onDone }: ProviderFormProps) {
  const { values, set } = useFields(() => valuesOf(provider))
  const fields = { values, set }
  const isOtherIssuer = provider !== undefined && values.issuer !== provider.oidc?.issuer
  return (
    <ProviderFormFrame
      {...fields}
      {...(provider !== undefined && { provider })}
      onDone={onDone}
      onSave={() => save(provider, values)}
      hasFault={mappingFault(values) !== null}
      otherAccounts={isOtherIssuer ? 'Another issuer' : null}
    >
      <TextFields fields={ADDRESSES} values={values} onChange={(name, text) => set({ [name]: text })} />
      <PasswordInput
        label="Client secret"
        description={provider === undefined ? '' : 'Empty: the stored secret stays. Another issuer needs it again.'}
        value={values.client_secret}
        onChange={(event) => set({ client_secret: event.currentTarget.value })}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the secret' }}
        maxLength={2_000}
        required={provider === undefined}
      />
      <PolicyTexts {...fields} fields={[CLAIMS.groups, CLAIMS.domains]} />
      <AccountFields {...fields} />
      <MoreSettings>
        <PolicyTexts {...fields} fields={[CLAIMS.email, CLAIMS.verified, CLAIMS.name, CLAIMS.roles, CLAIMS.prefix]} />
        <TrustField {...fields} />
        <ProtocolFields {...fields} />
      </MoreSettings>
    </ProviderFormFrame>
  )
}

const ProtocolFields = ({ values, set }: FieldsProps<OidcValues>) => (
  <>
    <TextFields fields={SCOPES} values={values} onChange={(name, text) => set({ [name]: text })} />
    <NativeSelect
      label="Client secret is sent"
      data={Object.entries(CLIENT_AUTH).map(([value, label]) => ({ value, label }))}
      value={values.client_auth}
      onChange={({ currentTarget: { value } }) => {
        if (isKeyOf(CLIENT_AUTH, value)) set({ client_auth: value })
      }}
    />
    <TextInput
      type="number"
      label="Clock skew in seconds"
      description="The difference of the clocks that is accepted, up to 300. Empty: 30."
      value={values.clock_skew_seconds}
      onChange={(event) => set({ clock_skew_seconds: event.currentTarget.value })}
      min={0}
      max={300}
      step={1}
    />
    <Checkbox
      label="Signing out here leads to the logout of the provider"
      checked={values.ends_provider_session}
      onChange={(event) => set({ ends_provider_session: event.currentTarget.checked })}
    />
  </>
)

async function save(provider: SignInProviderSnapshot | undefined, values: OidcValues): Promise<unknown> {
  const { name, slug, issuer, client_id, client_auth, forget_accounts, ends_provider_session } = values
  const oidc = {
    ...{ issuer, client_id, client_auth, ends_provider_session },
    client_secret: textOrNull(values.client_secret),
    scopes: textOrNull(values.scopes),
    clock_skew_seconds: values.clock_skew_seconds === '' ? null : Number(values.clock_skew_seconds),
  }
  const policy = policyOf(values)
  return provider === undefined
    ? createSignInProvider(api, { body: { slug, name, policy, oidc } })
    : updateSignInProvider(api, { provider_id: provider.id, body: { name, policy, oidc, forget_accounts } })
}

const valuesOf = (provider: SignInProviderSnapshot | undefined): OidcValues => ({
  ...commonValuesOf(provider),
  ...policyValuesOf(provider?.policy),
  issuer: provider?.oidc?.issuer ?? '',
  client_id: provider?.oidc?.client_id ?? '',
  client_secret: '',
  scopes: provider?.oidc?.scopes ?? '',
  client_auth: provider?.oidc?.client_auth ?? 'client_secret_basic',
  clock_skew_seconds: String(provider?.oidc?.clock_skew_seconds ?? ''),
  ends_provider_session: provider?.oidc?.ends_provider_session ?? true,
})
