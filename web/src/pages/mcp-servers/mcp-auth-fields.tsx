// How Pharos identifies itself at an MCP server.
import { NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core'
import { CodeBlock } from '../../parts/copy.tsx'
import { textsOf } from '../../text/texts.ts'
import { AUTH_TYPES, hasPerformer, type McpValues, PERFORMERS, secretsIn, TRANSPORTS } from './mcp-values.ts'

interface FieldsProps {
  values: McpValues
  set: (change: Partial<McpValues>) => void
  /** The masked secrets that are stored. */
  stored: Readonly<Record<string, string>>
}

export function McpAuthFields(props: FieldsProps) {
  const { values, set } = props
  const t = textsOf('admin.mcp.auth')
  return (
    <>
      <NativeSelect
        label={t('type')}
        description={t(`type_notes.${values.auth_type}`)}
        value={values.auth_type}
        onChange={({ currentTarget: { value } }) =>
          set({ auth_type: AUTH_TYPES.find((it) => it === value) ?? values.auth_type })
        }
        data={AUTH_TYPES.map((value) => ({ value, label: t(`types.${value}`) }))}
      />
      {hasPerformer(values) && (
        <NativeSelect
          label={t('performer')}
          description={t(`performer_notes.${values.performer}`)}
          value={values.performer}
          onChange={({ currentTarget: { value } }) =>
            set({ performer: PERFORMERS.find((it) => it === value) ?? values.performer })
          }
          data={PERFORMERS.map((value) => ({ value, label: t(`performers.${value}`) }))}
        />
      )}
      {values.auth_type === 'API_TOKEN' && <TokenFields {...props} />}
      {values.auth_type === 'OAUTH' && <OauthFields {...props} />}
      <NativeSelect
        label={t('transport')}
        value={values.transport}
        onChange={({ currentTarget: { value } }) =>
          set({ transport: TRANSPORTS.find((it) => it === value) ?? values.transport })
        }
        data={TRANSPORTS.map((value) => ({ value, label: t(`transports.${value}`) }))}
      />
    </>
  )
}

function TokenFields({ values, set, stored }: FieldsProps) {
  const t = textsOf('admin.mcp.auth')
  return (
    <>
      <Textarea
        label={t('template')}
        description={t('template_help')}
        value={values.template}
        onChange={(event) => set({ template: event.currentTarget.value })}
        maxLength={20_000}
        autosize
        minRows={1}
        spellCheck={false}
      />
      {values.performer === 'ADMIN' &&
        secretsIn(values.template).map((name) => (
          <SecretField
            key={name}
            name={name}
            stored={stored[name]}
            value={values.secrets[name] ?? ''}
            onChange={(value) => set({ secrets: { ...values.secrets, [name]: value } })}
          />
        ))}
    </>
  )
}

interface SecretProps {
  name: string
  /** Masked. */
  stored: string | undefined
  value: string
  onChange: (value: string) => void
}

function SecretField({ name, stored, value, onChange }: SecretProps) {
  const t = textsOf('admin.mcp.auth')
  const label = name === 'api_key' ? t('api_key') : name
  return (
    <PasswordInput
      label={label}
      description={stored === undefined ? undefined : t('secret_kept')}
      placeholder={stored}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      maxLength={10_000}
      autoComplete="off"
      visibilityToggleButtonProps={{ 'aria-label': textsOf('parts.form')('show_secret', { field: label }) }}
    />
  )
}

function OauthFields({ values, set, stored }: FieldsProps) {
  const t = textsOf('admin.mcp.auth')
  const text = (name: 'client_id' | 'scopes' | 'authorization_url' | 'token_url') => ({
    value: values[name],
    onChange: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value }),
    autoComplete: 'off',
    spellCheck: false,
  })
  return (
    <>
      <div>
        <p className="small dimmed">{t('redirect_help')}</p>
        <CodeBlock text={`${window.location.origin}/mcp/oauth/callback`} label={t('redirect')} isWord />
      </div>
      <TextInput {...text('client_id')} label={t('client_id')} description={t('client_id_help')} maxLength={10_000} />
      <SecretField
        name={t('client_secret')}
        stored={stored.client_secret}
        value={values.client_secret}
        onChange={(client_secret) => set({ client_secret })}
      />
      <Textarea
        {...text('scopes')}
        label={t('scopes')}
        description={t('scopes_help')}
        maxLength={20_000}
        autosize
        minRows={1}
      />
      <TextInput
        {...text('authorization_url')}
        type="url"
        label={t('authorization_url')}
        description={t('addresses_help')}
        maxLength={2_000}
      />
      <TextInput {...text('token_url')} type="url" label={t('token_url')} maxLength={2_000} />
    </>
  )
}
