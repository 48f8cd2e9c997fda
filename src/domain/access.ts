// Access control by tokens: a subject finds a document if the two share a token.
import { z } from 'zod'
import { nullish, wireArray, wireBoolean, wireString } from '../wire/schemas.ts'

declare const accessBrand: unique symbol
/** The tokens of a subject. Only `accessForPerson` makes one, so a search cannot be built without it. */
export type Access = readonly string[] & { readonly [accessBrand]: true }

export const externalAccess = z
  .object({
    is_public: nullish(wireBoolean()).transform((it) => it ?? false),
    external_user_emails: nullish(wireArray(wireString({ max: 500 }), { max: 10_000 })).transform((it) => it ?? []),
    external_user_group_ids: nullish(wireArray(wireString({ max: 500 }), { max: 10_000 })).transform((it) => it ?? []),
  })
  .meta({ id: 'ExternalAccess' })
export type ExternalAccess = z.infer<typeof externalAccess>

export const publicToken = 'public'
export const emailToken = (email: string) => `user:${email.toLowerCase()}`
export const groupToken = (group: string) => `group:${group}`
/** Stands for everybody who may read this cc-pair, so that a change of its readers needs no reindexing. */
export const ccPairToken = (ccPairId: number) => `pair:${ccPairId}`

/** The public token, the person's own, those of their groups, and those of the cc-pairs they may read. */
export function accessForPerson(
  person: { email: string | null; groups: readonly string[] },
  readableCcPairs: readonly number[],
): Access {
  const own = person.email === null ? [] : [emailToken(person.email)]
  const tokens: readonly string[] = [
    publicToken,
    ...own,
    ...person.groups.map(groupToken),
    ...readableCcPairs.map(ccPairToken),
  ]
  // The only place that makes the brand.
  return tokens as Access
}

/** The tokens that may find a document. Its own `external_access` decides if given, else its cc-pairs. */
export function documentAccessTokens(externalAccess: ExternalAccess | null, ccPairIds: readonly number[]): string[] {
  if (externalAccess === null) return ccPairIds.map(ccPairToken)
  return [
    ...(externalAccess.is_public ? [publicToken] : []),
    ...externalAccess.external_user_emails.map(emailToken),
    ...externalAccess.external_user_group_ids.map(groupToken),
  ]
}

/** The tokens of several subjects together, for the question whether at least one of them may read a document. */
export const accessOfMany = (
  subjects: { emails: Iterable<string>; groups: Iterable<string> },
  readableCcPairs: readonly number[],
): ReadonlySet<string> =>
  new Set([
    publicToken,
    ...[...subjects.emails].map(emailToken),
    ...[...subjects.groups].map(groupToken),
    ...readableCcPairs.map(ccPairToken),
  ])

export const mayRead = (access: Access | ReadonlySet<string>, tokens: readonly string[]): boolean =>
  tokens.some((token) => ('has' in access ? access.has(token) : access.includes(token)))
