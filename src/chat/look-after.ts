// Answers say that they are being written, what was broken off is said to be, and what was led incognito goes.
import { setTimeout as delay } from 'node:timers/promises'
import { DAY_MS } from '../domain/date-time.ts'
import type { Logger } from '../domain/logger.ts'
import { failBroken, keepAlive, type StoredMessage } from '../store/chat-messages.ts'
import { expireChats } from '../store/chats.ts'
import type { Database } from '../store/database.ts'
import { getSettings } from '../store/settings.ts'

/** How long an answer counts as being written after its process was heard of last, and how often it says so. */
export const ALIVE_MS = 20_000
const BEAT_MS = 5_000
const INCOGNITO_MS = DAY_MS
const BROKEN_OFF = 'The service ended while this answer was written, so there is none. Ask again.'

interface Needs {
  db: Database
  logger: Logger
  now: () => number
  /** No other process writes answers into this record. */
  isAlone: boolean
}

/** What this process, or the one before it, has left behind. */
export async function finishBroken({ db, now, isAlone }: Needs): Promise<void> {
  await failBroken(db, isAlone ? Number.MAX_SAFE_INTEGER : now(), BROKEN_OFF)
}

/** Until the signal aborts. */
export async function lookAfter(needs: Needs, runner: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await lookOnce(needs, runner)
    } catch (error) {
      needs.logger.error({ err: error }, 'chats could not be looked after')
    }
    await delay(BEAT_MS, undefined, { signal }).catch(() => {})
  }
}

async function lookOnce({ db, now }: Needs, runner: string): Promise<void> {
  const at = now()
  await keepAlive(db, runner, at + ALIVE_MS)
  await failBroken(db, at, BROKEN_OFF)
  const { chat_retention_days: days } = await getSettings(db)
  await expireChats(db, { incognito: at - INCOGNITO_MS, all: days === 0 ? null : at - days * DAY_MS })
}

/** As it will be in the record in a moment. */
export const sinceBroken = (message: StoredMessage, now: number): StoredMessage =>
  message.status === 'running' && (message.alive_until ?? 0) <= now
    ? { ...message, status: 'failed', error: BROKEN_OFF }
    : message
