// The first steps of an administrator: what is done, and a link to each of the others. Shown until all are done.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import {
  getOverview,
  listChatSessions,
  listInvitations,
  listUsers,
  suggestQueries,
} from '../../../../src/client/operations.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { hasPermission, isPerson, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import './first-steps.css'

const STEPS = [
  { name: 'connect', page: 'add-connector' },
  { name: 'index', page: 'connectors' },
  { name: 'search', page: null },
  { name: 'ask', page: 'chat' },
  { name: 'invite', page: 'people' },
] as const
type Step = (typeof STEPS)[number]['name']

/** This browser asks no more once everything is done, or the person has hidden the card. */
const DONE_KEY = 'pharos-first-steps'
const REFRESH_MS = 5_000

export function FirstSteps() {
  const me = useMe()
  const [isHidden, setHidden] = useState(() => localStorage.getItem(DONE_KEY) !== null)
  if (isHidden || !hasPermission(me, 'admin') || !isPerson(me)) return null
  const hide = () => {
    localStorage.setItem(DONE_KEY, 'done')
    setHidden(true)
  }
  return <StepsCard onHide={hide} />
}

function StepsCard({ onHide }: { onHide: () => void }) {
  const t = textsOf('welcome.steps')
  const { data: done } = useQuery({
    queryKey: ['first-steps'],
    queryFn: ({ signal }) => readDone(signal),
    refetchInterval: REFRESH_MS,
  })
  const isDone = done?.size === STEPS.length
  useEffect(() => {
    if (isDone) onHide()
  }, [isDone, onHide])
  if (done === undefined || isDone) return null
  const next = STEPS.find(({ name }) => !done.has(name))
  return (
    <section className="card card-pad first-steps" aria-labelledby="first-steps">
      <header>
        <h2 id="first-steps">{t('title')}</h2>
        <Button variant="subtle" color="gray" size="compact-sm" onClick={onHide}>
          {t('hide')}
        </Button>
      </header>
      <ol>
        {STEPS.map(({ name, page }) => (
          <li key={name} data-done={done.has(name)} aria-current={next?.name === name ? 'step' : undefined}>
            <span className="first-steps-mark">{done.has(name) && <Icon name="check" size={14} />}</span>
            <span>
              <StepLink page={done.has(name) ? null : page}>{t(`${name}.title`)}</StepLink>
              {done.has(name) && <span className="sr-only"> ({t('done')})</span>}
              <span className="dimmed small">{t(`${name}.help`)}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

function StepLink({ page, children }: { page: (typeof STEPS)[number]['page']; children: string }) {
  if (page === null) return <strong>{children}</strong>
  if (page === 'chat') return <Link to="/chat/{-$chat_session_id}">{children}</Link>
  return <AdminLink page={page}>{children}</AdminLink>
}

async function readDone(signal: AbortSignal): Promise<ReadonlySet<Step>> {
  const [overview, queries, chats, people, invitations] = await Promise.all([
    getOverview(api, { signal }),
    suggestQueries(api, { body: { query: '' }, signal }),
    listChatSessions(api, { page_size: 1, signal }),
    listUsers(api, { page_num: 0, page_size: 1, signal }),
    listInvitations(api, { limit: 1, signal }),
  ])
  const isDone: Record<Step, boolean> = {
    connect: overview.cc_pairs > 0,
    index: (overview.documents ?? 0) > 0,
    search: queries.recent.length > 0,
    ask: chats.sessions.length > 0,
    invite: people.total_items > 1 || invitations.length > 0,
  }
  return new Set(STEPS.map(({ name }) => name).filter((name) => isDone[name]))
}
