// Whether a verified assertion is meant for this service, this sign-in and this moment.
import type { SamlSettings } from '../../domain/sign-in/provider.ts'
import type { Assertion, SubjectConfirmation } from './read-assertion.ts'
import type { VerifiedResponse } from './read-response.ts'

/** A response that is not accepted, with a sentence for administrators. */
export class ResponseFault extends Error {}

export interface ExpectedResponse {
  entityId: string
  acsUrl: string
  /** The id of the request; null for a response that nobody asked for. */
  requestId: string | null
}

/** Older ones are refused, however long they claim to be valid. */
const MAX_AGE_MS = 3_600_000
const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
const MAX_ID = 1_000
const MAX_SHOWN = 200

/** Returns until when the id of the assertion must be remembered. ResponseFault. */
export function checkAssertion(
  { isResponseSigned, destination, inResponseTo, issuer, assertion }: VerifiedResponse,
  { entity_id, clock_skew_seconds }: Pick<SamlSettings, 'entity_id' | 'clock_skew_seconds'>,
  expected: ExpectedResponse,
  now: number,
): number {
  const clock: Clock = { now, skewMs: clock_skew_seconds * 1_000 }
  if (assertion.issuer !== entity_id || (issuer !== null && issuer !== entity_id))
    throw new ResponseFault(`The issuer is ${shown(assertion.issuer)}, not ${shown(entity_id)}.`)
  if (destination === null ? isResponseSigned : destination !== expected.acsUrl)
    throw new ResponseFault(`The destination is ${shown(destination)}, not ${expected.acsUrl}.`)
  if (inResponseTo !== expected.requestId) throw new ResponseFault('The response answers another request.')
  if (assertion.id === '' || assertion.id.length > MAX_ID) throw new ResponseFault('The assertion has no usable id.')
  checkAge(assertion, clock)
  checkConditions(assertion, expected, clock)
  checkConfirmations(assertion.confirmations, expected, clock)
  if (isOver(assertion.sessionNotOnOrAfter, clock)) throw new ResponseFault('The session at the provider is over.')
  return now + MAX_AGE_MS + 2 * clock.skewMs
}

interface Clock {
  now: number
  skewMs: number
}

function checkAge({ issueInstant }: Assertion, { now, skewMs }: Clock): void {
  const issued = timeOf(issueInstant)
  if (issued > now + skewMs) throw new ResponseFault(`The assertion is of the future: ${shown(issueInstant)}.`)
  if (issued <= now - skewMs - MAX_AGE_MS)
    throw new ResponseFault(`The assertion is more than an hour old: ${shown(issueInstant)}.`)
}

function checkConditions({ conditions }: Assertion, { entityId }: ExpectedResponse, clock: Clock): void {
  if (conditions === null) throw new ResponseFault('The assertion has no Conditions.')
  const { notBefore, notOnOrAfter, audiences } = conditions
  if (isAhead(notBefore, clock)) throw new ResponseFault(`The assertion is valid from ${shown(notBefore)} only.`)
  if (isOver(notOnOrAfter, clock)) throw new ResponseFault(`The assertion was valid until ${shown(notOnOrAfter)}.`)
  // Each restriction must name us: https://docs.oasis-open.org/security/saml/v2.0/saml-core-2.0-os.pdf, 2.5.1.4.
  if (audiences.length === 0 || !audiences.every((it) => it.includes(entityId)))
    throw new ResponseFault(`The audience is ${shown(audiences.flat().join(' '))}, not ${entityId}.`)
}

/** https://docs.oasis-open.org/security/saml/v2.0/saml-profiles-2.0-os.pdf, 4.1.4.3. */
function checkConfirmations(
  confirmations: readonly SubjectConfirmation[],
  { acsUrl, requestId }: ExpectedResponse,
  clock: Clock,
): void {
  const bearers = confirmations.filter((it) => it.method === BEARER)
  if (bearers.length === 0) throw new ResponseFault('The assertion has no confirmation of the kind "bearer".')
  const faults = bearers.map((it) => faultOf(it, { acsUrl, requestId, clock }))
  const [fault] = faults
  if (!faults.includes(null) && fault != null) throw new ResponseFault(fault)
}

function faultOf(
  { recipient, notBefore, notOnOrAfter, inResponseTo }: SubjectConfirmation,
  { acsUrl, requestId, clock }: Pick<ExpectedResponse, 'acsUrl' | 'requestId'> & { clock: Clock },
): string | null {
  if (recipient !== acsUrl) return `The recipient is ${shown(recipient)}, not ${acsUrl}.`
  if (notOnOrAfter === null) return 'The confirmation has no end.'
  if (notBefore !== null) return 'The confirmation has a beginning, which the standard forbids.'
  if (isOver(notOnOrAfter, clock)) return `The confirmation was valid until ${shown(notOnOrAfter)}.`
  if (inResponseTo !== requestId) return 'The assertion answers another request.'
  return null
}

const isOver = (time: string | null, { now, skewMs }: Clock): boolean => time !== null && now - skewMs >= timeOf(time)
const isAhead = (time: string | null, { now, skewMs }: Clock): boolean => time !== null && now + skewMs < timeOf(time)

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/

function timeOf(text: string): number {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw new ResponseFault(`"${shown(text)}" is no time in UTC.`)
  return time
}

const shown = (text: string | null): string => text?.slice(0, MAX_SHOWN) ?? 'missing'
