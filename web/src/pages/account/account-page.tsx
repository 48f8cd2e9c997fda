// The account of the person who is signed in: who they are, how they sign in, where they are signed in, and their tokens.
import { useEffect } from 'react'
import type { UserInfo } from '../../../../src/client/schemas.ts'
import { useMe } from '../../session.ts'
import { ROLE_LABELS } from '../people/roles.ts'
import { AccessTokens } from './access-tokens.tsx'
import { OwnName } from './own-name.tsx'
import { Passkeys } from './passkeys.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'
import './account.css'

export function AccountPage() {
  const me = useMe()
  const isPerson = me !== undefined && !me.email.endsWith('@key.invalid')
  useEffect(() => {
    document.title = 'Account · Pharos'
  }, [])
  return (
    <div className="stack">
      <div className="page-head">
        <h1>Account</h1>
      </div>
      {me !== undefined && <Facts me={me} isPerson={isPerson} />}
      {isPerson && <OwnName />}
      <Sessions />
      <AccessTokens />
      {isPerson && (
        <>
          <PasswordForm />
          <SecondFactor />
          <Passkeys />
        </>
      )}
    </div>
  )
}

const Facts = ({ me, isPerson }: { me: UserInfo; isPerson: boolean }) => (
  <dl className="facts">
    <div>
      <dt>{isPerson ? 'E-mail address' : 'Signed in with'}</dt>
      <dd className="plain long-text">
        <bdi>{isPerson ? me.email : 'a key'}</bdi>
      </dd>
    </div>
    <div>
      <dt>Role</dt>
      <dd className="plain">{ROLE_LABELS[me.role]}</dd>
    </div>
    <div>
      <dt>Groups</dt>
      <dd className="plain long-text">
        <bdi>{me.groups.length === 0 ? 'none' : me.groups.join(', ')}</bdi>
      </dd>
    </div>
  </dl>
)
