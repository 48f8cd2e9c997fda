// The settings of a provider.
import { Button, Checkbox, NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { createSignInProvider, updateSignInProvider } from '../../../src/client/operations.ts'
import type { SignInProviderSnapshot } from '../../../src/client/schemas.ts'
import { api } from '../api.ts'
import { ErrorAlert } from '../parts/states.tsx'

const ROLES = ['admin', 'global_curator', 'basic', 'limited'] as const
type MappedRole = (typeof ROLES)[number]

const TEXTS = [
  ['issuer', 'Issuer', 'The address whose /.well-known/openid-configuration describes the provider.'],
  ['client_id', 'Client ID', ''],
  ['scopes', 'Scopes', 'Separated by spaces.'],
  ['groups_claim', 'Groups claim', 'Empty: groups are not taken from the provider.'],
  ['email_verified_claim', 'Claim of a verified address', 'email_verified; at Entra ID xms_edov.'],
  ['group_prefix', 'Prefix of groups', 'Keeps groups of two providers apart.'],
  ['allowed_domains', 'Allowed e-mail domains', 'Separated by spaces. Empty: all.'],
] as const
type TextName = (typeof TEXTS)[number][0]

interface Values extends Record<TextName, string> {
  name: string
  slug: string
  secret: string
  creates_people: boolean
  trusts_emails: boolean
  forget_accounts: boolean
  default_role: MappedRole
  mapping: string
}

interface FormProps {
  provider?: SignInProviderSnapshot
  onDone: () => void
}

export function ProviderForm({ provider, onDone }: FormProps) {
  const [values, setValues] = useState<Values>(() => valuesOf(provider))
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: () => saveProvider(provider, values),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['sign-in-providers'] })
      onDone()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const set = (change: Partial<Values>) => setValues((before) => ({ ...before, ...change }))
  return (
    <form className="card card-pad stack" onSubmit={submit} aria-label={provider?.name ?? 'New provider'}>
      <TextFields values={values} set={set} isNew={provider === undefined} />
      <RuleFields values={values} set={set} />
      {provider !== undefined && provider.linked_people > 0 && values.issuer !== provider.oidc?.issuer && (
        <Checkbox
          label="Another issuer: forget the links of people and end their sessions"
          checked={values.forget_accounts}
          onChange={(event) => set({ forget_accounts: event.currentTarget.checked })}
        />
      )}
      {save.isError && <ErrorAlert error={save.error} />}
      <div className="row">
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

interface FieldsProps {
  values: Values
  set: (change: Partial<Values>) => void
}

function TextFields({ values, set, isNew }: FieldsProps & { isNew: boolean }) {
  return (
    <>
      <TextInput
        label="Name"
        description="The text of the button."
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        maxLength={100}
        required
      />
      {isNew && (
        <TextInput
          label="Short name"
          description="Lower-case letters, digits and hyphens. It never changes."
          value={values.slug}
          onChange={(event) => set({ slug: event.currentTarget.value })}
          maxLength={50}
          required
        />
      )}
      {TEXTS.map(([field, label, description]) => (
        <TextInput
          key={field}
          label={label}
          description={description}
          value={values[field]}
          onChange={(event) => set({ [field]: event.currentTarget.value })}
          maxLength={1_000}
          required={field === 'issuer' || field === 'client_id'}
        />
      ))}
      <PasswordInput
        label="Client secret"
        description={isNew ? '' : 'Empty: the stored secret stays. Another issuer needs it again.'}
        value={values.secret}
        onChange={(event) => set({ secret: event.currentTarget.value })}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the secret' }}
        maxLength={2_000}
        required={isNew}
      />
    </>
  )
}

function RuleFields({ values, set }: FieldsProps) {
  return (
    <>
      <Checkbox
        label="The first sign-in creates the account"
        checked={values.creates_people}
        onChange={(event) => set({ creates_people: event.currentTarget.checked })}
      />
      <Checkbox
        label="Create accounts for addresses that are not said to be verified"
        checked={values.trusts_emails}
        onChange={(event) => set({ trusts_emails: event.currentTarget.checked })}
      />
      <NativeSelect
        label="Role of new people"
        data={[...ROLES]}
        value={values.default_role}
        onChange={(event) => set({ default_role: roleOf(event.currentTarget.value) })}
      />
      <Textarea
        label="Roles of groups"
        description="One line each: group = role. If there are lines, each sign-in sets the role."
        value={values.mapping}
        onChange={(event) => set({ mapping: event.currentTarget.value })}
        minRows={2}
        autosize
      />
    </>
  )
}

async function saveProvider(provider: SignInProviderSnapshot | undefined, values: Values): Promise<unknown> {
  const { name, slug, issuer, client_id, scopes, secret, email_verified_claim, group_prefix } = values
  const followsGroups = provider?.policy.roles_claim === provider?.policy.groups_claim
  const policy = {
    ...provider?.policy,
    ...(followsGroups && { roles_claim: null }),
    ...{ groups_claim: values.groups_claim === '' ? null : values.groups_claim, email_verified_claim, group_prefix },
    ...{ creates_people: values.creates_people, trusts_emails: values.trusts_emails },
    default_role: values.default_role,
    allowed_domains: values.allowed_domains.split(/[\s,]/).filter((it) => it !== ''),
    role_mapping: readMapping(values.mapping),
  }
  const client_secret = secret === '' ? null : secret
  if (provider === undefined) {
    return createSignInProvider(api, {
      body: { slug, name, policy, oidc: { issuer, client_id, scopes, client_secret } },
    })
  }
  const { has_client_secret: _, ...before } = provider.oidc ?? { has_client_secret: false }
  const oidc = { ...before, issuer, client_id, scopes, client_secret }
  const body = { name, policy, oidc, forget_accounts: values.forget_accounts }
  return updateSignInProvider(api, { provider_id: provider.id, body })
}

const valuesOf = (provider: SignInProviderSnapshot | undefined): Values => ({
  ...textsOf(provider),
  ...{ name: provider?.name ?? '', slug: provider?.slug ?? '', secret: '', forget_accounts: false },
  creates_people: provider?.policy.creates_people ?? true,
  trusts_emails: provider?.policy.trusts_emails ?? false,
  default_role: provider?.policy.default_role ?? 'basic',
  mapping: provider?.policy.role_mapping.map((it) => `${it.value} = ${it.role}`).join('\n') ?? '',
})

const textsOf = (provider: SignInProviderSnapshot | undefined): Record<TextName, string> => ({
  issuer: provider?.oidc?.issuer ?? '',
  client_id: provider?.oidc?.client_id ?? '',
  scopes: provider?.oidc?.scopes ?? 'openid profile email',
  groups_claim: provider?.policy.groups_claim ?? '',
  email_verified_claim: provider?.policy.email_verified_claim ?? 'email_verified',
  group_prefix: provider?.policy.group_prefix ?? '',
  allowed_domains: provider?.policy.allowed_domains.join(' ') ?? '',
})

const roleOf = (text: string): MappedRole => ROLES.find((it) => it === text) ?? 'basic'

const readMapping = (text: string): { value: string; role: MappedRole }[] =>
  text
    .split('\n')
    .filter((it) => it.trim() !== '')
    .map((line) => {
      const at = line.lastIndexOf('=')
      const role = ROLES.find((it) => it === line.slice(at + 1).trim())
      if (at < 0 || role === undefined)
        throw new Error(`"${line.slice(0, 100)}" must be: group = role (${ROLES.join(', ')}).`)
      return { value: line.slice(0, at).trim(), role }
    })
