// Tokens that tools get in place of the key of the asking person. They are valid for minutes, allow only search, and
// end with the key or token of the person.

import { type PatScope, rightsOfPat, type Subject } from '../../domain/subject.ts'
import type { PassthroughRecipient } from '../../domain/tools/passthrough.ts'
import type { Database } from '../../store/database/database.ts'
import { expireCallTokens, findCallToken, insertCallToken } from '../../store/tools/passthrough.ts'
import type { AccessTokens } from './access-tokens.ts'
import { generateKey, hashSecret, matchesSecret, parseKey } from './key-format.ts'

export const CALL_TOKEN_MS = 5 * 60_000
const CALL_TOKEN_SCOPES: readonly PatScope[] = ['read:search']

export interface CallTokens {
  /** The only time that the token itself is available. Does not check whether the recipient may have it. */
  issue(subject: Subject, recipient: PassthroughRecipient): Promise<string>
  /** The asking person with the rights of the token; null if the token or the key is unknown or expired. */
  authenticate(token: string): Promise<Subject | null>
  /** Deletes expired tokens; called every minute. */
  expire(): Promise<void>
}

interface CallTokenDeps {
  db: Database
  tokens: Pick<AccessTokens, 'getCredentialName' | 'findSubjectByCredential'>
  now: () => number
}

export function openCallTokens({ db, tokens, now }: CallTokenDeps): CallTokens {
  return {
    async issue(subject, { kind, id }) {
      const { key, kid, secret } = generateKey('call_token')
      await insertCallToken(db, {
        kid,
        secret_hash: hashSecret(secret),
        owner: subject.user_id,
        owner_credential: await tokens.getCredentialName(subject),
        recipient_kind: kind,
        recipient_id: id,
        expires_at: now() + CALL_TOKEN_MS,
      })
      return key
    },
    async authenticate(token) {
      const parsed = parseKey(token)
      if (parsed?.kind !== 'call_token') return null
      const stored = await findCallToken(db, parsed.kid)
      if (stored === undefined || !matchesSecret(parsed.secret, stored.secret_hash) || stored.expires_at <= now())
        return null
      const asker = await tokens.findSubjectByCredential(stored.owner_credential)
      if (asker === null) return null
      const credential = { kind: 'call_token', kid: stored.kid } as const
      return { ...asker, rights: rightsOfPat(asker.rights, CALL_TOKEN_SCOPES), scopes: CALL_TOKEN_SCOPES, credential }
    },
    expire: () => expireCallTokens(db, now()),
  }
}
