// The account of the person who is signed in: their password and their sessions.
import { Button, PasswordInput, Table, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import {
  changePassword,
  endOtherSessions,
  endSession,
  getPersonalization,
  listSessions,
  updatePersonalization,
} from '../../../src/client/operations.ts'
import type { SessionSnapshot } from '../../../src/client/schemas.ts'
import { api } from '../api.ts'
import { ErrorAlert, LoadingSkeleton } from '../parts/states.tsx'
import { TableFrame } from '../parts/table-frame.tsx'
import { Time } from '../parts/text.tsx'
import { useMe, userLabel } from '../session.ts'
import { Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'
import './account.css'

const sessionsQuery = {
  queryKey: ['sessions'],
  queryFn: ({ signal }: { signal: AbortSignal }) => listSessions(api, { signal }),
}

export function AccountPage() {
  const me = useMe()
  useEffect(() => {
    document.title = 'Account · Pharos'
  }, [])
  return (
    <div className="stack">
      <h1>Account</h1>
      {me !== undefined && (
        <p className="dimmed">
          {userLabel(me)} · role {me.role}
          {me.groups.length > 0 && ` · groups ${me.groups.join(', ')}`}
        </p>
      )}
      {me !== undefined && !me.email.endsWith('@key.invalid') && <OwnName />}
      <Sessions />
      {me !== undefined && !me.email.endsWith('@key.invalid') && (
        <>
          <PasswordForm />
          <SecondFactor />
          <Passkeys />
        </>
      )}
    </div>
  )
}

const nameQuery = {
  queryKey: ['own-name'],
  queryFn: ({ signal }: { signal: AbortSignal }) => getPersonalization(api, { signal }),
}

function OwnName() {
  const stored = useQuery(nameQuery)
  return (
    <section className="card" aria-labelledby="own-name">
      <div className="section-head">
        <h2 id="own-name">Name</h2>
      </div>
      {stored.isPending && <LoadingSkeleton lines={1} />}
      {stored.isError && <ErrorAlert error={stored.error} />}
      {stored.data !== undefined && <NameForm stored={stored.data.name ?? ''} />}
    </section>
  )
}

function NameForm({ stored }: { stored: string }) {
  const [name, setName] = useState(stored)
  const queryClient = useQueryClient()
  const wanted = name.trim()
  const change = useMutation({
    mutationFn: () => updatePersonalization(api, { body: { name: wanted === '' ? null : wanted } }),
    onSuccess: (answer) => queryClient.setQueryData(nameQuery.queryKey, answer),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (wanted !== stored) change.mutate()
  }
  return (
    <form className="stack account-body" onSubmit={submit}>
      <TextInput
        label="Your name"
        autoComplete="name"
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {change.isError && <ErrorAlert error={change.error} />}
      {change.isSuccess && wanted === stored && <p role="status">The name is saved.</p>}
      <div>
        <Button type="submit" loading={change.isPending} disabled={wanted === stored}>
          Save name
        </Button>
      </div>
    </form>
  )
}

const METHODS: Record<NonNullable<SessionSnapshot['method']>, string> = {
  key: 'a key',
  password: 'a password',
  link: 'a link',
  passkey: 'a passkey',
  oidc: 'OpenID Connect',
  saml: 'SAML',
  ldap: 'LDAP',
}

function Sessions() {
  const queryClient = useQueryClient()
  const sessions = useQuery(sessionsQuery)
  const reload = () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })
  const end = useMutation({
    mutationFn: (id: number) => endSession(api, { session_id: id }),
    onSettled: reload,
  })
  const endOthers = useMutation({ mutationFn: () => endOtherSessions(api), onSettled: reload })
  return (
    <section className="card" aria-labelledby="sessions">
      <div className="section-head">
        <h2 id="sessions">Sessions</h2>
        <Button
          size="xs"
          variant="default"
          loading={endOthers.isPending}
          disabled={(sessions.data ?? []).every((it) => it.is_current)}
          onClick={() => endOthers.mutate()}
        >
          End all others
        </Button>
      </div>
      {[sessions, end, endOthers].map(
        (it, at) => it.isError && <ErrorAlert key={['list', 'end', 'others'][at]} error={it.error} />,
      )}
      {sessions.isPending && <LoadingSkeleton lines={3} />}
      {sessions.data !== undefined && <SessionTable sessions={sessions.data} onEnd={(id) => end.mutate(id)} />}
    </section>
  )
}

const SessionTable = ({ sessions, onEnd }: { sessions: readonly SessionSnapshot[]; onEnd: (id: number) => void }) => (
  <TableFrame label="Sessions">
    <Table verticalSpacing="sm" horizontalSpacing="md">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Browser</Table.Th>
          <Table.Th>Address</Table.Th>
          <Table.Th>Signed in</Table.Th>
          <Table.Th>Last used</Table.Th>
          <Table.Th>
            <span className="sr-only">Actions</span>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {sessions.map((it) => (
          <Table.Tr key={it.id}>
            <Table.Td>{it.user_agent ?? 'not known'}</Table.Td>
            <Table.Td className="nowrap">{it.address ?? 'not known'}</Table.Td>
            <Table.Td className="nowrap">
              <Time at={it.created_at} />
              {it.method !== null && ` with ${METHODS[it.method]}`}
            </Table.Td>
            <Table.Td className="nowrap">
              <Time at={it.last_used_at} />
            </Table.Td>
            <Table.Td className="number">
              {it.is_current ? (
                <span className="dimmed">this session</span>
              ) : (
                <Button variant="subtle" color="red" size="compact-sm" onClick={() => onEnd(it.id)}>
                  End
                </Button>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </TableFrame>
)

function PasswordForm() {
  const [before, setBefore] = useState('')
  const [after, setAfter] = useState('')
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: () => changePassword(api, { body: { old_password: before, new_password: after } }),
    onSuccess: async () => {
      setBefore('')
      setAfter('')
      await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (before !== '' && after !== '') change.mutate()
  }
  return (
    <section className="card" aria-labelledby="password">
      <div className="section-head">
        <h2 id="password">Password</h2>
      </div>
      <form className="stack account-body" onSubmit={submit}>
        <PasswordInput
          label="Old password"
          autoComplete="current-password"
          value={before}
          onChange={(event) => setBefore(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the old password' }}
        />
        <PasswordInput
          label="New password"
          description="At least 12 characters. All your other sessions end."
          autoComplete="new-password"
          value={after}
          onChange={(event) => setAfter(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the new password' }}
        />
        {change.isError && <ErrorAlert error={change.error} />}
        {change.isSuccess && <p role="status">The password is changed.</p>}
        <div>
          <Button type="submit" loading={change.isPending} disabled={before === '' || after === ''}>
            Change password
          </Button>
        </div>
      </form>
    </section>
  )
}
