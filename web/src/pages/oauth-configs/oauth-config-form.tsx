// A dialog that creates an OAuth configuration, or changes one.
import { Alert, Button, PasswordInput, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { createOauthConfig, updateOauthConfig } from '../../../../src/client/operations.ts'
import type { OAuthConfigSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { CodeBlock } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import {
  endsConnections,
  type OauthConfigValues,
  toConfigChange,
  toNewConfig,
  valuesOf,
} from './oauth-config-values.ts'
import { redirectUri, useReloadOauthConfigs } from './oauth-configs-queries.ts'

interface FormProps {
  /** Absent for a new one. */
  config?: OAuthConfigSnapshot
  onDone?: (config: OAuthConfigSnapshot) => void
  onClose: () => void
}

export function OauthConfigForm({ config, onDone, onClose }: FormProps) {
  const t = textsOf('admin.oauth_configs')
  const parts = textsOf('parts')
  const [before] = useState(() => valuesOf(config))
  const [values, setValues] = useState(before)
  const reload = useReloadOauthConfigs()
  const save = useMutation({
    mutationFn: () =>
      config === undefined
        ? createOauthConfig(api, { body: toNewConfig(values) })
        : updateOauthConfig(api, { oauth_config_id: config.id, body: toConfigChange(before, values) }),
    onSuccess: async (saved) => {
      await reload()
      onClose()
      onDone?.(saved)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const isEnding = config !== undefined && endsConnections(before, values)
  return (
    <Dialog title={config === undefined ? t('new') : t('change')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <div>
          <p className="small dimmed">{t('redirect_help')}</p>
          <CodeBlock text={redirectUri()} label={t('redirect')} isWord />
        </div>
        <Fields
          values={values}
          set={(change) => setValues((it) => ({ ...it, ...change }))}
          isNew={config === undefined}
        />
        {isEnding && <Alert color="yellow">{t('form.ends_connections')}</Alert>}
        {save.isError && <ErrorAlert error={save.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {parts('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {config === undefined ? t('form.create') : parts('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface FieldsProps {
  values: OauthConfigValues
  set: (change: Partial<OauthConfigValues>) => void
  isNew: boolean
}

function Fields({ values, set, isNew }: FieldsProps) {
  const t = textsOf('admin.oauth_configs.form')
  const text = (name: keyof OauthConfigValues) => ({
    value: values[name],
    onChange: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value }),
    autoComplete: 'off',
    spellCheck: false,
    withAsterisk: false,
  })
  return (
    <>
      <TextInput
        {...text('name')}
        label={textsOf('parts')('name')}
        description={t('name_help')}
        maxLength={200}
        dir="auto"
        required
      />
      <TextInput
        {...text('authorization_url')}
        label={t('authorization_url')}
        description={t('authorization_url_help')}
        type="url"
        maxLength={2_000}
        required
      />
      <TextInput
        {...text('token_url')}
        label={t('token_url')}
        description={t('token_url_help')}
        type="url"
        maxLength={2_000}
        required
      />
      <TextInput {...text('client_id')} label={t('client_id')} maxLength={10_000} required />
      <PasswordInput
        {...text('client_secret')}
        label={t('client_secret')}
        description={isNew ? t('client_secret_help') : t('client_secret_kept')}
        maxLength={10_000}
        required={isNew}
        visibilityToggleButtonProps={{
          'aria-label': textsOf('parts.form')('show_secret', { field: t('client_secret') }),
        }}
      />
      <Textarea
        {...text('scopes')}
        label={t('scopes')}
        description={t('scopes_help')}
        autosize
        minRows={2}
        maxLength={20_000}
      />
      <Textarea
        {...text('params')}
        label={t('params')}
        description={t('params_help')}
        autosize
        minRows={2}
        maxLength={20_000}
      />
    </>
  )
}
