// Mails wait in memory and are sent in the background, with a few attempts each.
import type { Logger } from '../domain/logger.ts'
import { isMailAddress } from '../domain/values/mail-address.ts'
import { rejectOnAbort } from '../flow/reject-on-abort.ts'
import { createSemaphore } from '../flow/semaphore.ts'
import { createWakeSignal } from '../flow/wake-signal.ts'
import { type MailContent, mailText } from './mail-texts.ts'
import { createSmtpSender, describeSmtpError, type SendSmtp, type SmtpServer } from './smtp.ts'

export interface MailSettings extends SmtpServer {
  /** Begins every link, so that no header of a request does. Has no trailing slash. */
  publicUrl: string
}

export type MailMessage = MailContent & {
  to: string
  /** The path of the link in the mail. */
  path: string
}

export interface Mail {
  isConfigured: boolean
  /**
   * Whether the server has accepted the mail; resolves after the last attempt. Also false, at once, if no server is set up,
   * too many mails wait, or the address cannot be written in a mail. Never rejects.
   */
  send(message: MailMessage): Promise<boolean>
  /** Ends the waits between attempts: mails that are not sent then count as failed. */
  close(): Promise<void>
}

const MAX_WAITING = 1_000
const PARALLEL = 2
const RETRY_WAITS_MS = [2_000, 15_000]
const TIMEOUT_MS = 15_000
/** One attempt, in timeouts. */
const MAX_TIMEOUTS = 4

interface MailDeps {
  logger: Logger
  maxWaiting?: number
  retryWaitsMs?: readonly number[]
  timeoutMs?: number
}

export function openMail(settings: MailSettings | null, deps: MailDeps): Mail {
  const { logger, maxWaiting = MAX_WAITING, retryWaitsMs = RETRY_WAITS_MS, timeoutMs = TIMEOUT_MS } = deps
  if (settings === null) return { isConfigured: false, send: async () => false, close: async () => {} }
  const sendSmtp = createSmtpSender(settings, timeoutMs)
  const stop = new AbortController()
  const slots = createSemaphore(PARALLEL)
  const running = new Set<Promise<boolean>>()
  const deliver = async ({ to, path, ...content }: MailMessage): Promise<boolean> => {
    const { kind } = content
    const text = mailText(content, settings.publicUrl + path)
    // The limits of a connection count from its last byte; this one also ends a server that answers very slowly.
    const send = () =>
      rejectOnAbort(AbortSignal.any([stop.signal, AbortSignal.timeout(MAX_TIMEOUTS * timeoutMs)]), sendSmtp(to, text))
    try {
      return await slots.run(() => attempt(send, { kind, retryWaitsMs, logger, signal: stop.signal }), stop.signal)
    } catch {
      // Only the signal rejects.
      return false
    }
  }
  return {
    isConfigured: true,
    async send(message) {
      if (!isMailAddress(message.to)) {
        logger.warn({ kind: message.kind, reason: 'the address cannot be written in a mail' }, 'mail not sent')
        return false
      }
      if (running.size >= maxWaiting) {
        logger.warn({ kind: message.kind, reason: `${maxWaiting} mails wait already` }, 'mail not sent')
        return false
      }
      const delivery = deliver(message)
      running.add(delivery)
      return delivery.finally(() => running.delete(delivery))
    },
    async close() {
      stop.abort()
      await Promise.all(running)
    },
  }
}

interface Attempts {
  kind: MailContent['kind']
  retryWaitsMs: readonly number[]
  logger: Logger
  signal: AbortSignal
}

async function attempt(send: () => ReturnType<SendSmtp>, settings: Attempts): Promise<boolean> {
  const { kind, retryWaitsMs, logger, signal } = settings
  const waits = createWakeSignal()
  for (let attempts = 1; ; attempts++) {
    try {
      await send()
      return true
    } catch (error) {
      // The error itself may hold the address.
      const { reason, isTemporary } = describeSmtpError(error)
      const waitMs = retryWaitsMs[attempts - 1]
      if (!isTemporary || waitMs === undefined || signal.aborted) {
        logger.error({ kind, attempts, reason }, 'mail not sent')
        return false
      }
      logger.warn({ kind, attempts, reason, retry_in_ms: waitMs }, 'mail delayed')
      await waits.sleep(waitMs, signal)
    }
  }
}
