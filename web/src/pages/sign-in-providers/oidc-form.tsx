// The settings of a provider with OpenID Connect.
import { Checkbox, NativeSelect, PasswordInput } from '@mantine/core'
import { createSignInProvider, updateSignInProvider } from '../../../../src/client/operations.ts'
import type { SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'
import {
  ClockSkewField,
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

const CLIENT_AUTHS = ['client_secret_basic', 'client_secret_post'] as const
type ClientAuth = (typeof CLIENT_AUTHS)[number]

interface OidcValues extends CommonValues, PolicyValues {
  issuer: string
  client_id: string
  client_secret: string
  scopes: string
  client_auth: ClientAuth
  clock_skew_seconds: string
  ends_provider_session: boolean
}

/** The default of the service for an empty field. */
const CLOCK_SKEW_SECONDS = 30

export function OidcForm({ provider, onDone }: ProviderFormProps) {
  const { values, set } = useFields(() => valuesOf(provider))
  const fields = { values, set }
  const claims = policyTexts('claim', { email: 'email', name: 'name' })
  const isOtherIssuer = provider !== undefined && values.issuer !== provider.oidc?.issuer
  return (
    <ProviderFormFrame
      {...fields}
      {...(provider !== undefined && { provider })}
      onDone={onDone}
      onSave={() => save(provider, values)}
      hasFault={mappingFault(values) !== null}
      otherAccounts={isOtherIssuer ? 'issuer' : null}
    >
      <ClientFields {...fields} isNew={provider === undefined} />
      <PolicyTexts {...fields} fields={[claims.groups, claims.domains]} />
      <AccountFields {...fields} />
      <MoreSettings>
        <PolicyTexts {...fields} fields={[claims.email, claims.verified, claims.name, claims.roles, claims.prefix]} />
        <TrustField {...fields} />
        <ProtocolFields {...fields} />
      </MoreSettings>
    </ProviderFormFrame>
  )
}

function ClientFields({ values, set, isNew }: FieldsProps<OidcValues> & { isNew: boolean }) {
  const t = textsOf('admin.sign_in.form.oidc')
  const addresses: TextField<'issuer' | 'client_id'>[] = [
    { name: 'issuer', label: t('issuer'), description: t('issuer_help'), maxLength: 1_000, isRequired: true },
    { name: 'client_id', label: t('client_id'), maxLength: 500, isRequired: true },
  ]
  return (
    <>
      <TextFields fields={addresses} values={values} onChange={(name, text) => set({ [name]: text })} />
      <PasswordInput
        label={t('client_secret')}
        description={isNew ? '' : t('client_secret_help')}
        value={values.client_secret}
        onChange={(event) => set({ client_secret: event.currentTarget.value })}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': t('show_secret') }}
        maxLength={2_000}
        required={isNew}
      />
    </>
  )
}

function ProtocolFields({ values, set }: FieldsProps<OidcValues>) {
  const t = textsOf('admin.sign_in.form.oidc')
  const scopes: TextField<'scopes'>[] = [
    { name: 'scopes', label: t('scopes'), description: t('scopes_help'), maxLength: 1_000 },
  ]
  return (
    <>
      <TextFields fields={scopes} values={values} onChange={(name, text) => set({ [name]: text })} />
      <NativeSelect
        label={t('client_auth')}
        data={CLIENT_AUTHS.map((value) => ({ value, label: t(`client_auths.${value}`) }))}
        value={values.client_auth}
        onChange={({ currentTarget: { value } }) =>
          set({ client_auth: CLIENT_AUTHS.find((it) => it === value) ?? values.client_auth })
        }
      />
      <ClockSkewField values={values} set={set} seconds={CLOCK_SKEW_SECONDS} />
      <Checkbox
        label={t('ends_session')}
        checked={values.ends_provider_session}
        onChange={(event) => set({ ends_provider_session: event.currentTarget.checked })}
      />
    </>
  )
}

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
