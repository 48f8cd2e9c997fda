// Makes those who guess passwords wait: per account and per address of the client. Everything is in memory and bounded.
import { AppError } from '../../domain/errors.ts'
import { parseIpAddress } from '../../domain/values/ip-network.ts'
import { createLruCache } from '../../flow/lru-cache.ts'
import { DAY_MS } from '../../wire/date-time.ts'

const MAX_ENTRIES = 10_000
const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 15 * 60_000
/** After a day of quiet, a typing error is again only a typing error. */
const ACCOUNT_LIMIT: AttemptLimit = { free: 5, periodMs: DAY_MS }
/** Many people may share one address. */
const ADDRESS_LIMIT: AttemptLimit = { free: 30, periodMs: 10 * 60_000 }
const KNOWN_ADDRESS_MS = 30 * DAY_MS

/**
 * The account is the name that the client sent, in the one spelling in which accounts are compared: an unknown account
 * counts like a known one. The address is that of the client.
 *
 * A stranger must not lock a person out for ever. An address from which the person signed in within the last 30 days
 * therefore never waits for the account, only for itself.
 */
export interface AttemptLimiter {
  /** Call it before the password is compared. TOO_MANY_ATTEMPTS if the account or the address has to wait. */
  check(account: string, address: string): void
  recordFailure(account: string, address: string): void
  /** Forgets the failures of the account, not those of the address: a guesser may have an account too. */
  recordSuccess(account: string, address: string): void
}

interface AttemptLimit {
  /** The number of failures without a wait. */
  free: number
  /** The time after which free failures are forgotten, and the quiet time after a wait that ends the doubling. */
  periodMs: number
}

interface FailureCount {
  failures: number
  firstAt: number
  lastAt: number
}

export function createAttemptLimiter({ now }: { now: () => number }): AttemptLimiter {
  const accounts = createFailureCounter(ACCOUNT_LIMIT, now)
  const networks = createFailureCounter(ADDRESS_LIMIT, now)
  /** When the account was last signed in to from the network. */
  const signIns = createLruCache<string, number>(MAX_ENTRIES)
  const isKnown = (account: string, network: string) =>
    now() - (signIns.get(pairKey(account, network)) ?? -Infinity) < KNOWN_ADDRESS_MS
  return {
    check(account, address) {
      const network = networkOf(address)
      const waitMs = Math.max(networks.waitMs(network), isKnown(account, network) ? 0 : accounts.waitMs(account))
      if (waitMs > 0) throw new AppError('TOO_MANY_ATTEMPTS', { seconds: Math.ceil(waitMs / 1_000) })
    },
    recordFailure(account, address) {
      accounts.add(account)
      networks.add(networkOf(address))
    },
    recordSuccess(account, address) {
      accounts.forget(account)
      signIns.set(pairKey(account, networkOf(address)), now())
    },
  }
}

function createFailureCounter(limit: AttemptLimit, now: () => number) {
  const counts = createLruCache<string, FailureCount>(MAX_ENTRIES)
  const find = (key: string): FailureCount | undefined => {
    const count = counts.get(key)
    return count === undefined || isOver(count, limit, now()) ? undefined : count
  }
  return {
    /** The remaining wait; not positive if there is none. */
    waitMs(key: string): number {
      const count = find(key)
      return count === undefined ? 0 : count.lastAt + waitAfter(count, limit) - now()
    },
    add(key: string): void {
      const { failures, firstAt } = find(key) ?? { failures: 0, firstAt: now() }
      counts.set(key, { failures: failures + 1, firstAt, lastAt: now() })
    },
    forget: (key: string): void => counts.delete(key),
  }
}

function waitAfter({ failures }: FailureCount, { free }: AttemptLimit): number {
  return failures <= free ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (failures - free - 1), MAX_WAIT_MS)
}

function isOver(count: FailureCount, limit: AttemptLimit, at: number): boolean {
  const waitMs = waitAfter(count, limit)
  return at >= limit.periodMs + (waitMs === 0 ? count.firstAt : count.lastAt + waitMs)
}

/** An address has no line end. */
const pairKey = (account: string, network: string): string => `${network}\n${account}`

/** IPv4 is counted by address. A customer with IPv6 has at least a /64, and may use any address of it. */
export function networkOf(address: string): string {
  const parsed = parseIpAddress(address)
  if (parsed === null) return 'unknown'
  return parsed.family === 'ipv4' ? parsed.address : firstGroups(parsed.address, 4)
}

/** The first groups of an address that is written with `::` for a run of zeros. */
function firstGroups(address: string, count: number): string {
  const [left = [], right = []] = address.split('::').map((it) => it.split(':').filter(Boolean))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].slice(0, count).join(':')
}
