// Reads an account, its attributes, groups and roles from an assertion.
import type { SamlProviderSettings } from '../../domain/sign-in/provider.ts'
import { SignInError, type VerifiedIdentity } from '../../domain/sign-in/verified-identity.ts'
import { mapClaims } from '../map-claims.ts'
import { ResponseFault } from './check-assertion.ts'
import type { Assertion } from './read-assertion.ts'

const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
/** The claim with the value of NameID. */
const NAME_ID = 'NameID'
const MAX_SUBJECT = 256

/** ResponseFault, SIGN_IN_REFUSED. */
export function readIdentity(settings: SamlProviderSettings, assertion: Assertion): VerifiedIdentity {
  const { subject_attribute, vouches_for_emails } = settings.saml
  const claims = claimsOf(assertion)
  const mapped = mapClaims(settings, claims)
  return {
    subject: subject_attribute === null ? subjectOf(assertion.nameId) : attributeSubject(claims, subject_attribute),
    ...mapped,
    email_verified: vouches_for_emails || mapped.email_verified,
    claims,
  }
}

/** Attributes by their names and, where no attribute has that name, by their friendly names. */
function claimsOf({ nameId, attributes }: Assertion): Record<string, string | string[]> {
  const byName = new Map<string, string[]>()
  for (const { name, values } of attributes) byName.set(name, [...(byName.get(name) ?? []), ...values])
  for (const { name, friendlyName } of attributes)
    if (friendlyName !== null && !byName.has(friendlyName)) byName.set(friendlyName, byName.get(name) ?? [])
  if (nameId !== null) byName.set(NAME_ID, [nameId.value])
  return Object.fromEntries([...byName].map(([name, values]) => [name, oneOrAll(values)]))
}

const oneOrAll = (values: string[]): string | string[] => {
  const [value] = values
  return value !== undefined && values.length === 1 ? value : values
}

function subjectOf(nameId: Assertion['nameId']): string {
  if (nameId === null) throw new ResponseFault('The assertion has no NameID. Set subject_attribute.')
  if (nameId.format === TRANSIENT)
    throw new ResponseFault(
      'NameID is another one at each sign-in (transient). Ask for another format, or set subject_attribute.',
    )
  return checkSubject(nameId.value)
}

function attributeSubject(claims: Readonly<Record<string, string | string[]>>, name: string): string {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  if (typeof value !== 'string')
    throw new ResponseFault(`The assertion has not exactly one value of the attribute ${name}.`)
  return checkSubject(value)
}

function checkSubject(subject: string): string {
  if (subject === '' || subject.length > MAX_SUBJECT || subject.includes('\u0000'))
    throw new SignInError('answer_invalid')
  return subject
}
