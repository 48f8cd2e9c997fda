// Who may find a document, and what somebody may find: two lists of tokens that must share one.
import { z } from 'zod'
import { nullish, wireArray, wireBoolean, wireString } from './wire.ts'

declare const checked: unique symbol
/** What one asker may read. Only `accessOf` makes one, so no search can be built without it. */
export type Access = readonly string[] & { readonly [checked]: true }

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
/** Stands for "whoever may read this cc-pair", so that a change of the pair needs no re-indexing. */
export const pairToken = (ccPairId: number) => `pair:${ccPairId}`

/** What the asker holds: everybody's token, their own, their groups', and those of the cc-pairs open to them. */
export function accessOf(
  person: { email: string | null; groups: readonly string[] },
  readablePairs: readonly number[],
): Access {
  const own = person.email === null ? [] : [emailToken(person.email)]
  return [publicToken, ...own, ...person.groups.map(groupToken), ...readablePairs.map(pairToken)] as unknown as Access
}

/** What a document asks for. Its own `external_access` decides if given, else the cc-pairs it belongs to. */
export function tokensOf(externalAccess: ExternalAccess | null, ccPairIds: readonly number[]): string[] {
  if (externalAccess === null) return ccPairIds.map(pairToken)
  return [
    ...(externalAccess.is_public ? [publicToken] : []),
    ...externalAccess.external_user_emails.map(emailToken),
    ...externalAccess.external_user_group_ids.map(groupToken),
  ]
}

export const mayRead = (access: Access, tokens: readonly string[]): boolean =>
  tokens.some((token) => access.includes(token))
