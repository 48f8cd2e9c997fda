// An administrator tries a directory with the name and the password of a person.
import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { checkSignInProvider, testLdapProvider } from '../../../../src/client/operations.ts'
import type { LdapProviderCheck, SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { verdictKey } from './verdict.tsx'

export function LdapTests({ provider }: { provider: SignInProviderSnapshot }) {
  const t = textsOf('admin.sign_in.tests')
  const [isTesting, setIsTesting] = useState(false)
  const check = useMutation({ mutationFn: () => checkSignInProvider(api, { provider_id: provider.id }) })
  return (
    <>
      <div className="row">
        <Button variant="default" size="xs" loading={check.isPending} onClick={() => check.mutate()}>
          {t('check')}
        </Button>
        <Button variant="default" size="xs" aria-expanded={isTesting} onClick={() => setIsTesting(!isTesting)}>
          {t('test')}
        </Button>
      </div>
      {check.isError && <ErrorAlert error={check.error} />}
      {check.data?.ldap != null && <CheckResult check={check.data.ldap} />}
      {isTesting && <TestForm provider={provider} />}
    </>
  )
}

function CheckResult({ check }: { check: LdapProviderCheck }) {
  const t = textsOf('admin.sign_in.tests')
  const { is_encrypted, bound_as: account, sees_people, sees_groups } = check
  return (
    <div className="small" role="status">
      <p>
        {is_encrypted ? t('ldap_encrypted') : t('ldap_plain')}
        {account !== null && <span> {t('ldap_accepts', { account })}</span>}
      </p>
      {sees_people !== null && <p>{sees_people ? t('people_there') : t('people_missing')}</p>}
      {sees_groups !== null && <p>{sees_groups ? t('groups_there') : t('groups_missing')}</p>}
    </div>
  )
}

function TestForm({ provider: { id: provider_id, name } }: { provider: SignInProviderSnapshot }) {
  const t = textsOf('admin.sign_in.tests')
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const queryClient = useQueryClient()
  const test = useMutation({
    mutationFn: () => testLdapProvider(api, { provider_id, body: { username: username.trim(), password } }),
    onSuccess: (verdict) => queryClient.setQueryData(verdictKey(provider_id), verdict),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (username.trim() !== '' && password !== '') test.mutate()
  }
  return (
    <form className="provider-form stack" onSubmit={submit} aria-label={t('test_of', { name })}>
      <TextInput
        label={t('username')}
        description={t('username_help')}
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
        maxLength={320}
        autoComplete="off"
        required
      />
      <PasswordInput
        label={t('password')}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': t('show_password') }}
        maxLength={10_000}
        required
      />
      {test.isError && <ErrorAlert error={test.error} />}
      <div>
        <Button type="submit" size="xs" loading={test.isPending}>
          {t('run')}
        </Button>
      </div>
    </form>
  )
}
