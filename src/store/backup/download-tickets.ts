// Tickets with which a person who has just proved who they are downloads one backup, once.
import { randomBytes } from 'node:crypto'

export interface DownloadTickets {
  /** Valid for a minute. */
  issue(backupId: string, personId: string): { ticket: string; expires_at: number }
  /** Tells whether the ticket is for this backup and person. It is used up in any case. */
  redeem(ticket: string, backupId: string, personId: string): boolean
}

const VALID_MS = 60_000
const MAX_TICKETS = 1_000

export function createDownloadTickets({ now }: { now: () => number }): DownloadTickets {
  const tickets = new Map<string, { backupId: string; personId: string; expires_at: number }>()
  const dropOld = () => {
    for (const [ticket, { expires_at }] of tickets)
      if (expires_at <= now() || tickets.size > MAX_TICKETS) tickets.delete(ticket)
  }
  return {
    issue(backupId, personId) {
      dropOld()
      const ticket = randomBytes(32).toString('base64url')
      const expires_at = now() + VALID_MS
      tickets.set(ticket, { backupId, personId, expires_at })
      return { ticket, expires_at }
    },
    redeem(ticket, backupId, personId) {
      const it = tickets.get(ticket)
      tickets.delete(ticket)
      return it !== undefined && it.expires_at > now() && it.backupId === backupId && it.personId === personId
    },
  }
}
