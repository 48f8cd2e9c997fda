// Sessions of a person: where they were opened, how, and when they were used.
import { Badge } from '@mantine/core'
import type { SessionSnapshot } from '../../../src/client/schemas.ts'
import { EndButton, RecordTable } from './record-table.tsx'
import { Time } from './text.tsx'
import { readUserAgent } from './user-agent.ts'

const METHODS: Record<NonNullable<SessionSnapshot['method']>, string> = {
  key: 'a key',
  password: 'a password',
  link: 'a link',
  passkey: 'a passkey',
  oidc: 'OpenID Connect',
  saml: 'SAML',
  ldap: 'LDAP',
}

interface SessionTableProps {
  sessions: readonly SessionSnapshot[]
  /** The session that is being ended. */
  ending: number | null
  onEnd: (id: number) => void
}

export const SessionTable = ({ sessions, ending, onEnd }: SessionTableProps) => (
  <RecordTable
    label="Sessions"
    rows={sessions}
    keyOf={({ id }) => id}
    columns={[
      {
        label: 'Device',
        className: 'long-text',
        cell: (it) => <span title={it.user_agent ?? ''}>{readUserAgent(it.user_agent)}</span>,
      },
      { label: 'Address', className: 'nowrap', cell: (it) => it.address ?? 'not known' },
      {
        label: 'Signed in',
        className: 'nowrap',
        cell: ({ created_at, method }) => (
          <>
            <Time at={created_at} />
            {method !== null && ` with ${METHODS[method]}`}
          </>
        ),
      },
      { label: 'Last used', className: 'nowrap', cell: (it) => <Time at={it.last_used_at} /> },
    ]}
    action={({ id, is_current, user_agent }) =>
      is_current ? (
        <Badge variant="light" tt="none">
          This device
        </Badge>
      ) : (
        <EndButton
          label="End"
          what={`the session of ${readUserAgent(user_agent)}`}
          isPending={ending === id}
          onClick={() => onEnd(id)}
        />
      )
    }
  />
)
