// Strangers ask for mailed links. The answer never depends on who they are: the work happens after it, in one queue.
import { SYSTEM_ACTOR } from '../../domain/audit.ts'
import type { Logger } from '../../domain/logger.ts'
import { emailKeyOf } from '../../domain/subject.ts'
import { mailDomainOf } from '../../domain/values/mail-address.ts'
import { createLruCache } from '../../flow/lru-cache.ts'
import { createMutex } from '../../flow/mutex.ts'
import type { Mail, MailMessage } from '../../mail/mail.ts'
import type { Database } from '../../store/database/database.ts'
import { isRegistrationDomain } from '../../store/identity/sign-in/registration-domains.ts'
import type { AuditLog } from '../audit-log.ts'
import type { AccountLinks } from './account-links.ts'
import { networkOf } from './attempt-limiter.ts'

const MAX_WAITING = 1_000
const MAX_ENTRIES = 10_000
const PERIOD_MS = 60 * 60_000
const MAX_PER_ACCOUNT = 3
/** Many people may share one address. */
const MAX_PER_NETWORK = 30

export interface LinkRequest {
  email: string
  /** The address of the client. */
  address: string
}

/** Requests beyond the limits are dropped, known and unknown addresses alike. None reports whether a mail is sent. */
export interface LinkRequests {
  requestReset(request: LinkRequest): void
  requestRegistration(request: LinkRequest): void
  /** Resolves when the requests so far have been handled. Their mails may still wait. */
  close(): Promise<void>
}

interface LinkRequestsDeps {
  db: Database
  accountLinks: Pick<AccountLinks, 'createMailedReset' | 'createRegistration'>
  mail: Pick<Mail, 'isConfigured' | 'send'>
  audit: Pick<AuditLog, 'record'>
  logger: Logger
  now: () => number
}

export function openLinkRequests(deps: LinkRequestsDeps): LinkRequests {
  const { mail, logger, now } = deps
  const accounts = createRequestCounter(MAX_PER_ACCOUNT, now)
  const networks = createRequestCounter(MAX_PER_NETWORK, now)
  const runExclusive = createMutex()
  const running = new Set<Promise<void>>()
  const accept = (kind: keyof typeof FINDERS, { email, address }: LinkRequest): void => {
    if (!mail.isConfigured || running.size >= MAX_WAITING) return
    if (!networks.take(networkOf(address)) || !accounts.take(`${kind} ${emailKeyOf(email)}`)) return
    const work = runExclusive(() => handle(deps, kind, email)).catch((err: unknown) => {
      logger.error({ err, kind }, 'link request failed')
    })
    running.add(work)
    void work.finally(() => running.delete(work))
  }
  return {
    requestReset: (request) => accept('reset', request),
    requestRegistration: (request) => accept('registration', request),
    async close() {
      await Promise.all(running)
    },
  }
}

async function handle(deps: LinkRequestsDeps, kind: keyof typeof FINDERS, email: string): Promise<void> {
  const message = await FINDERS[kind](deps, email)
  if (message === null) return
  await deps.audit.record({
    ...{ actor_id: SYSTEM_ACTOR, api_key_id: null, email: message.to, request_id: null },
    ...{
      action: `account_link.mail_${message.kind}`,
      object_id: null,
      fields: [],
      outcome: 'success',
      error_code: null,
    },
  })
  // The queue of mails is bounded; waiting for each here would let one slow mail delay all requests.
  void deps.mail.send(message)
}

type FindMessage = (deps: LinkRequestsDeps, email: string) => Promise<MailMessage | null>

const FINDERS = {
  async reset({ accountLinks }, email) {
    const link = await accountLinks.createMailedReset(email)
    // The stored address: the one that was sent may differ in case, which some mail servers tell apart.
    return link === null ? null : { kind: 'reset', to: link.email ?? email, path: link.path }
  },
  async registration({ db, accountLinks }, email) {
    const domain = mailDomainOf(email)
    if (domain === null || !(await isRegistrationDomain(db, domain))) return null
    const link = await accountLinks.createRegistration(email)
    if (link === 'exists') return { kind: 'account_exists', to: email, path: '/sign-in' }
    return { kind: 'registration', to: email, path: link.path }
  },
} satisfies Record<string, FindMessage>

function createRequestCounter(limit: number, now: () => number) {
  const counts = createLruCache<string, { count: number; firstAt: number }>(MAX_ENTRIES)
  return {
    /** Whether the request is within the limit. */
    take(key: string): boolean {
      const found = counts.get(key)
      const current = found === undefined || now() - found.firstAt >= PERIOD_MS ? { count: 0, firstAt: now() } : found
      if (current.count >= limit) return false
      counts.set(key, { ...current, count: current.count + 1 })
      return true
    },
  }
}
