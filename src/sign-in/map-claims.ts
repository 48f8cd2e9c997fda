// Reads e-mail address, name, groups and roles from the claims or attributes that a provider sent.
import type { ClaimMapping } from '../domain/sign-in/provider.ts'
import { SignInError, type VerifiedIdentity } from '../domain/sign-in/verified-identity.ts'

const MAX_EMAIL = 320
const MAX_NAME = 200
const MAX_GROUPS = 1_000
const MAX_GROUP_NAME = 500
const EMAIL = /^[^\s@\u0000]+@[^\s@\u0000]+$/

export type MappedIdentity = Pick<VerifiedIdentity, 'email' | 'email_verified' | 'name' | 'groups' | 'roles'>

/**
 * Values that do not fit are absent. SIGN_IN_REFUSED: there are more than 1,000 groups or roles. A protocol whose
 * providers vouch for all addresses replaces `email_verified`.
 */
export function mapClaims(mapping: ClaimMapping, claims: Readonly<Record<string, unknown>>): MappedIdentity {
  const email = firstText(readClaim(claims, mapping.email_claim))?.trim()
  const name = mapping.name_claim === null ? undefined : firstText(readClaim(claims, mapping.name_claim))?.trim()
  return {
    email: email !== undefined && email.length <= MAX_EMAIL && EMAIL.test(email) ? email : null,
    email_verified: isTrue(readClaim(claims, mapping.email_verified_claim)),
    name: name === undefined || name === '' ? null : name.slice(0, MAX_NAME).toWellFormed(),
    groups: mapping.groups_claim === null ? null : names(readClaim(claims, mapping.groups_claim)),
    roles: mapping.roles_claim === null ? [] : names(readClaim(claims, mapping.roles_claim)),
  }
}

/** A whole name comes first: some contain dots. Else dots lead into objects, as in `realm_access.roles`. */
function readClaim(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = Object.entries(value).find(([key]) => key === part)?.[1]
  }
  return value
}

const firstText = (value: unknown): string | undefined => [value].flat().filter(isUsableText)[0]

const isUsableText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\u0000')

/** Some providers send texts and numbers, for example `xms_edov` of Entra ID. */
const isTrue = (value: unknown): boolean => [true, 'true', 1, '1'].some((it) => it === value)

function names(value: unknown): string[] {
  const texts = new Set(
    [value]
      .flat()
      .filter(isUsableText)
      .map((it) => it.trim())
      .filter((it) => it !== '' && it.length <= MAX_GROUP_NAME && it.isWellFormed()),
  )
  if (texts.size > MAX_GROUPS) throw new SignInError('too_many_groups')
  return [...texts]
}
