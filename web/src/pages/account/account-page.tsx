// The account of the person who is signed in: who they are, how they sign in, where they are signed in, and their tokens.
import type { UserInfo } from '../../../../src/client/schemas.ts'
import { useTitle } from '../../parts/use-title.ts'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { roleLabel } from '../people/roles.ts'
import { AccessTokens } from './access-tokens.tsx'
import { ConnectedAccounts } from './connected-accounts.tsx'
import { OwnData } from './own-data.tsx'
import { OwnMcpServers } from './own-mcp-servers.tsx'
import { OwnName } from './own-name.tsx'
import { OwnUsage } from './own-usage.tsx'
import { PassthroughConsents } from './passthrough-consents.tsx'
import { Preferences } from './preferences.tsx'
import { SavedPrompts } from './saved-prompts.tsx'
import { Sessions } from './sessions.tsx'
import { SignInSettings } from './sign-in-settings.tsx'
import './account.css'

export function AccountPage() {
  const t = textsOf('account')
  const me = useMe()
  const isPerson = me !== undefined && !me.email.endsWith('@key.invalid')
  useTitle(t('title'))
  return (
    <div className="stack">
      <div className="page-head">
        <h1>{t('title')}</h1>
      </div>
      {me !== undefined && <Facts me={me} isPerson={isPerson} />}
      {isPerson && <OwnName />}
      {isPerson && <Preferences preferences={me.preferences} />}
      {hasPermission(me, 'chat') && <SavedPrompts />}
      <Sessions />
      <AccessTokens />
      {usesTools(me) && (
        <>
          <ConnectedAccounts />
          <OwnMcpServers />
          <PassthroughConsents />
        </>
      )}
      {hasPermission(me, 'chat') && <OwnUsage />}
      {isPerson && (
        <>
          <SignInSettings />
          <OwnData />
        </>
      )}
    </div>
  )
}

const usesTools = (me: UserInfo | undefined): boolean =>
  hasPermission(me, 'manage:actions') || hasPermission(me, 'write:chat')

function Facts({ me, isPerson }: { me: UserInfo; isPerson: boolean }) {
  const t = textsOf('account')
  const parts = textsOf('parts')
  return (
    <dl className="facts">
      <div>
        <dt>{isPerson ? parts('email_address') : t('signed_in_with')}</dt>
        <dd className="plain long-text">
          <bdi>{isPerson ? me.email : t('a_key')}</bdi>
        </dd>
      </div>
      <div>
        <dt>{parts('role')}</dt>
        <dd className="plain">{roleLabel(me.role)}</dd>
      </div>
      <div>
        <dt>{parts('groups')}</dt>
        <dd className="plain long-text">
          <bdi>{me.groups.length === 0 ? t('no_groups') : me.groups.join(', ')}</bdi>
        </dd>
      </div>
    </dl>
  )
}
