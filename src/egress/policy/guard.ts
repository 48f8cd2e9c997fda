// Decides whether a host and port may be called, and at which addresses. Every request and every redirect passes here.
import { isIP } from 'node:net'
import type { EgressCaller, EgressProfile, EgressRefusal, EgressRule } from '../../domain/egress-refusal.ts'
import { EgressError } from '../egress-error.ts'
import type { Network } from '../transport/network.ts'
import { classifyAddress, isLoopback, normalizeAddress } from './address.ts'
import { type AllowEntry, allowEntryMatches, canonicalName, formatAllowEntry } from './allow-list.ts'

export interface Endpoint {
  /** A host name, or an IP address without brackets. */
  host: string
  port: number
}

/** `host` is canonical, as in a parsed URL but without brackets. */
export interface EgressTarget extends Endpoint {
  /**
   * `public-only`: a user, document or model chose the address. `admin-target`: someone who manages the source or tool
   * configured it, so any port is allowed and an administrator's approvals apply.
   */
  profile: EgressProfile
  /** Null for a dry run. */
  asker: EgressCaller | null
  /** False for a redirect to another origin, because the response chose its port. */
  isAsked: boolean
}

/** An authorized target with the only addresses it may be called at. */
export interface EgressRoute extends Endpoint {
  addresses: readonly string[]
}

export interface GuardSettings {
  allow: readonly AllowEntry[]
  own: () => readonly Endpoint[]
  isApproved: IsApproved | null
  onRefused: (refusal: EgressRefusal) => void
  network: Network
}

/** Whether an administrator approved the host, spelled as by `canonicalName`. */
export type IsApproved = (host: string, port: number) => Promise<boolean>

const WEB_PORTS = [80, 443]
const UNSPECIFIED_ADDRESSES = ['0.0.0.0', '::']

/** Throws unless every address of the host passes. */
export async function authorizeTarget(settings: GuardSettings, target: EgressTarget): Promise<EgressRoute> {
  const { host, port } = target
  const addresses = await resolveHost(settings.network, host)
  if (addresses.some((address) => classifyAddress(address) === 'never')) throw refusalError(settings, target, 'never')
  if (await isOwnService(settings, target, addresses)) throw refusalError(settings, target, 'own')
  const notAllowListed = addresses.filter(
    (address) => !settings.allow.some((it) => allowEntryMatches(it, host, address, port)),
  )
  const violation = violatedRule(target, notAllowListed)
  if (violation === undefined) return { host, port, addresses }
  if (await isApproved(settings, target)) return { host, port, addresses }
  throw refusalError(settings, target, violation)
}

function refusalError(settings: GuardSettings, target: EgressTarget, rule: EgressRule): EgressError {
  const { host, port, profile, asker } = target
  if (asker !== null) settings.onRefused({ host: canonicalName(host), port, rule, profile, asker })
  return new EgressError(rule, host, { port, wayOut: howToAllow(settings, target) })
}

async function isApproved(settings: GuardSettings, { profile, host, port }: EgressTarget): Promise<boolean> {
  return profile === 'admin-target' && settings.isApproved !== null && settings.isApproved(canonicalName(host), port)
}

async function resolveHost(network: Network, host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  const addresses = await network.resolve(host).catch((cause) => {
    throw new EgressError('resolve', host, {}, { cause })
  })
  if (addresses.length === 0) throw new EgressError('resolve', host)
  return addresses
}

async function isOwnService(
  { own, network }: GuardSettings,
  { host, port }: EgressTarget,
  addresses: string[],
): Promise<boolean> {
  for (const endpoint of own().filter((it) => it.port === port)) {
    if (endpoint.host === host) return true
    const isOwnAddress = await ownAddressMatcher(network, endpoint.host)
    if (addresses.some((address) => isOwnAddress(normalizeAddress(address)))) return true
  }
  return false
}

async function ownAddressMatcher(network: Network, host: string): Promise<(address: string) => boolean> {
  const isEvery = UNSPECIFIED_ADDRESSES.includes(host)
  const own = new Set((isEvery ? network.ownAddresses() : await resolveHost(network, host)).map(normalizeAddress))
  return (address) => own.has(address) || (isEvery && isLoopback(address))
}

function violatedRule({ port, profile, isAsked }: EgressTarget, addresses: string[]): 'private' | 'port' | undefined {
  if (addresses.some((address) => classifyAddress(address) === 'private')) return 'private'
  const isPortAllowed = WEB_PORTS.includes(port) || (profile === 'admin-target' && isAsked)
  return addresses.length === 0 || isPortAllowed ? undefined : 'port'
}

function howToAllow(settings: GuardSettings, { host, port, profile }: EgressTarget): string {
  const setting = `To allow it, start the service with EGRESS_ALLOW=${formatAllowEntry(host, port)}`
  if (profile !== 'admin-target' || settings.isApproved === null) return `${setting}.`
  const approval = { host: canonicalName(host), ...(!WEB_PORTS.includes(port) && { port }) }
  return `${setting}, or let an administrator approve the host: POST /admin/egress/approval ${JSON.stringify(approval)}.`
}
