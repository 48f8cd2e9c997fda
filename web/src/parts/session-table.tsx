// Sessions of a person: where they were opened, how, and when they were used.
import { Badge } from '@mantine/core'
import type { SessionSnapshot } from '../../../src/client/schemas.ts'
import { textsOf } from '../text/texts.ts'
import { EndButton, RecordTable } from './record-table.tsx'
import { Time } from './text.tsx'
import { readUserAgent } from './user-agent.ts'

interface SessionTableProps {
  sessions: readonly SessionSnapshot[]
  /** The session that is being ended. */
  ending: number | null
  onEnd: (id: number) => void
}

export function SessionTable({ sessions, ending, onEnd }: SessionTableProps) {
  const t = textsOf('parts.sessions')
  return (
    <RecordTable
      label={t('title')}
      rows={sessions}
      keyOf={({ id }) => id}
      columns={[
        {
          label: t('device'),
          className: 'long-text',
          cell: (it) => <span title={it.user_agent ?? ''}>{readUserAgent(it.user_agent)}</span>,
        },
        { label: t('address'), className: 'nowrap', cell: (it) => it.address ?? t('not_known') },
        { label: t('signed_in'), className: 'nowrap', cell: (it) => <SignedIn session={it} /> },
        { label: t('last_used'), className: 'nowrap', cell: (it) => <Time at={it.last_used_at} /> },
      ]}
      action={({ id, is_current, user_agent }) =>
        is_current ? (
          <Badge variant="light" tt="none">
            {t('this_device')}
          </Badge>
        ) : (
          <EndButton
            label={t('end')}
            longLabel={t('end_of', { device: readUserAgent(user_agent) })}
            isPending={ending === id}
            onClick={() => onEnd(id)}
          />
        )
      }
    />
  )
}

function SignedIn({ session: { created_at, method } }: { session: SessionSnapshot }) {
  const time = () => <Time at={created_at} />
  return method === null ? time() : textsOf('parts.sessions').rich('signed_in_with', { method, time })
}
