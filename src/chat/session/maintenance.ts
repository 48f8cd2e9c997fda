// Renews the leases of running answers, fails interrupted ones, and deletes expired chats.
import type { Logger } from '../../domain/logger.ts'
import { createLoop, logErrors } from '../../flow/background-loop.ts'
import { expireChats } from '../../store/chats/chats.ts'
import { extendRunningAnswers, failAbandonedAnswers, type StoredMessage } from '../../store/chats/messages.ts'
import type { Database } from '../../store/database/database.ts'
import { getSettings } from '../../store/settings/settings.ts'
import { DAY_MS, daysBefore } from '../../wire/date-time.ts'

/** An answer counts as running for this long after the last heartbeat of its process. */
export const LEASE_MS = 20_000
const HEARTBEAT_MS = 5_000
const INCOGNITO_MS = DAY_MS
const INTERRUPTED_MESSAGE = 'The service stopped during this answer. Ask again.'

interface ChatMaintenanceDeps {
  db: Database
  logger: Logger
  now: () => number
  /** No other process writes answers into this database. */
  isOnlyProcess: boolean
}

/** Fails the answers that an earlier process left unfinished. */
export async function failInterruptedAnswers({ db, now, isOnlyProcess }: ChatMaintenanceDeps): Promise<void> {
  await failAbandonedAnswers(db, isOnlyProcess ? Number.MAX_SAFE_INTEGER : now(), INTERRUPTED_MESSAGE)
}

/** Runs until the signal aborts. */
export async function runChatMaintenance(
  deps: ChatMaintenanceDeps,
  runnerId: string,
  signal: AbortSignal,
): Promise<void> {
  const round = async () => {
    await maintainChats(deps, runnerId)
    return HEARTBEAT_MS
  }
  const onError = logErrors(deps.logger, 'chat maintenance failed')
  await createLoop(round, { retryMs: HEARTBEAT_MS, onError }).run(signal)
}

async function maintainChats({ db, now }: ChatMaintenanceDeps, runnerId: string): Promise<void> {
  const at = now()
  await extendRunningAnswers(db, runnerId, at + LEASE_MS)
  await failAbandonedAnswers(db, at, INTERRUPTED_MESSAGE)
  const { chat_retention_days: days, trash_retention_days } = await getSettings(db)
  await expireChats(db, {
    incognito: at - INCOGNITO_MS,
    deleted: daysBefore(at, trash_retention_days),
    all: days === 0 ? null : daysBefore(at, days),
  })
}

/** The state that the next maintenance pass will store. */
export const withInterruptedAsFailed = (message: StoredMessage, now: number): StoredMessage =>
  message.status === 'running' && (message.alive_until ?? 0) <= now
    ? { ...message, status: 'failed', error: INTERRUPTED_MESSAGE }
    : message
