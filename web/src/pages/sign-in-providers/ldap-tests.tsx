// An administrator tries a directory with the name and the password of a person.
import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { checkSignInProvider, testLdapProvider } from '../../../../src/client/operations.ts'
import type { LdapProviderCheck, SignInProviderSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { verdictKey } from './verdict.tsx'

export function LdapTests({ provider }: { provider: SignInProviderSnapshot }) {
  const [isTesting, setIsTesting] = useState(false)
  const check = useMutation({ mutationFn: () => checkSignInProvider(api, { provider_id: provider.id }) })
  return (
    <>
      <div className="row">
        <Button variant="default" size="xs" loading={check.isPending} onClick={() => check.mutate()}>
          Check
        </Button>
        <Button variant="default" size="xs" aria-expanded={isTesting} onClick={() => setIsTesting(!isTesting)}>
          Test
        </Button>
      </div>
      {check.isError && <ErrorAlert error={check.error} />}
      {check.data?.ldap != null && <CheckResult check={check.data.ldap} />}
      {isTesting && <TestForm provider={provider} />}
    </>
  )
}

const CheckResult = ({ check: { is_encrypted, bound_as, sees_people, sees_groups } }: { check: LdapProviderCheck }) => (
  <div className="small" role="status">
    <p>
      The directory answers{is_encrypted ? ' over an encrypted connection' : ', without encryption'}.{' '}
      {bound_as !== null && `It accepts ${bound_as}.`}
    </p>
    {sees_people !== null && <p>{sees_people ? 'The place of people is there.' : MISSING_PEOPLE}</p>}
    {sees_groups !== null && <p>{sees_groups ? 'The place of groups is there.' : MISSING_GROUPS}</p>}
  </div>
)

const MISSING_PEOPLE = 'The entry below which people are searched does not exist, or the account may not read it.'
const MISSING_GROUPS = 'The entry below which groups are searched does not exist, or the account may not read it.'

function TestForm({ provider: { id: provider_id, name } }: { provider: SignInProviderSnapshot }) {
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
    <form className="provider-form stack" onSubmit={submit} aria-label={`Test of ${name}`}>
      <TextInput
        label="User name of a person"
        description="Nobody is signed in, nothing is changed, and the password is not stored."
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
        maxLength={320}
        autoComplete="off"
        required
      />
      <PasswordInput
        label="Password of the person"
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password of the person' }}
        maxLength={10_000}
        required
      />
      {test.isError && <ErrorAlert error={test.error} />}
      <div>
        <Button type="submit" size="xs" loading={test.isPending}>
          Run the test
        </Button>
      </div>
    </form>
  )
}
