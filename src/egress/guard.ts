// May this host and port be called, and at which addresses? Every call passes here, every redirect again.
import { isIP } from 'node:net'
import type { Asker, Profile, Refusal, Rule } from '../domain/refusal.ts'
import { isLoopback, normal, standing } from './address.ts'
import { type AllowEntry, canonicalName, entryFor, isCovered } from './allow.ts'
import { EgressError } from './egress-error.ts'
import type { Network } from './network.ts'

export interface Endpoint {
  /** A name, or an address without brackets. */
  host: string
  port: number
}

/** The canonical host, as a URL spells it, without brackets. */
export interface Target extends Endpoint {
  /**
   * `public-only`: a user, a document or a model chose the address. `admin-target`: somebody who may manage the source
   * or tool typed it, so any port is meant as it stands, and the approvals of an administrator count.
   */
  profile: Profile
  /** Null when somebody only wants to know. */
  asker: Asker | null
  /** False for a redirect to another origin: there the answer chose the port. */
  isAsked: boolean
}

/** A target that was judged, with the only addresses at which it may be called. */
export interface Route extends Endpoint {
  addresses: readonly string[]
}

export interface GuardSettings {
  allow: readonly AllowEntry[]
  own: () => readonly Endpoint[]
  isApproved: IsApproved | null
  onRefused: (refusal: Refusal) => void
  network: Network
}

/** Whether an administrator approved the host, in the spelling of `canonicalName`. */
export type IsApproved = (host: string, port: number) => Promise<boolean>

const WEB_PORTS = [80, 443]
const ANY_ADDRESS = ['0.0.0.0', '::']

/** All addresses of a name must pass, or none is called. */
export async function judge(settings: GuardSettings, target: Target): Promise<Route> {
  const { host, port } = target
  const addresses = await addressesOf(settings.network, host)
  if (addresses.some((address) => standing(address) === 'never')) throw refused(settings, target, 'never')
  if (await isOwn(settings, target, addresses)) throw refused(settings, target, 'own')
  const rest = addresses.filter((address) => !settings.allow.some((it) => isCovered(it, host, address, port)))
  const objection = objectionTo(target, rest)
  if (objection === undefined) return { host, port, addresses }
  if (await isApproved(settings, target)) return { host, port, addresses }
  throw refused(settings, target, objection)
}

function refused(settings: GuardSettings, target: Target, rule: Rule): EgressError {
  const { host, port, profile, asker } = target
  if (asker !== null) settings.onRefused({ host: canonicalName(host), port, rule, profile, asker })
  return new EgressError(rule, host, { port, wayOut: wayOut(settings, target) })
}

async function isApproved(settings: GuardSettings, { profile, host, port }: Target): Promise<boolean> {
  return profile === 'admin-target' && settings.isApproved !== null && settings.isApproved(canonicalName(host), port)
}

async function addressesOf(network: Network, host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  const addresses = await network.resolve(host).catch((cause) => {
    throw new EgressError('resolve', host, {}, { cause })
  })
  if (addresses.length === 0) throw new EgressError('resolve', host)
  return addresses
}

async function isOwn({ own, network }: GuardSettings, { host, port }: Target, addresses: string[]): Promise<boolean> {
  for (const endpoint of own().filter((it) => it.port === port)) {
    if (endpoint.host === host) return true
    const taken = await ownAddressesOf(network, endpoint.host)
    if (addresses.some((address) => taken(normal(address)))) return true
  }
  return false
}

async function ownAddressesOf(network: Network, host: string): Promise<(address: string) => boolean> {
  const isEvery = ANY_ADDRESS.includes(host)
  const own = new Set((isEvery ? network.ownAddresses() : await addressesOf(network, host)).map(normal))
  return (address) => own.has(address) || (isEvery && isLoopback(address))
}

function objectionTo({ port, profile, isAsked }: Target, addresses: string[]): 'private' | 'port' | undefined {
  if (addresses.some((address) => standing(address) === 'private')) return 'private'
  const isPortMeant = WEB_PORTS.includes(port) || (profile === 'admin-target' && isAsked)
  return addresses.length === 0 || isPortMeant ? undefined : 'port'
}

function wayOut(settings: GuardSettings, { host, port, profile }: Target): string {
  const setting = `To allow it, start the service with EGRESS_ALLOW=${entryFor(host, port)}`
  if (profile !== 'admin-target' || settings.isApproved === null) return `${setting}.`
  const approval = { host: canonicalName(host), ...(!WEB_PORTS.includes(port) && { port }) }
  return `${setting}, or let an administrator approve the host: POST /admin/egress/approval ${JSON.stringify(approval)}.`
}
