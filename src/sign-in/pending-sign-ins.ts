// Sign-ins that have left for a provider: a secret that travels through the provider, and one that stays in the browser.
import { createHash, randomBytes } from 'node:crypto'
import type { SignInPurpose } from '../domain/sign-in/provider.ts'
import { SignInError } from '../domain/sign-in/verified-identity.ts'
import {
  answerSignInState,
  findSignInState,
  insertSignInState,
  type SignInState,
  takeSignInState,
} from '../store/identity/providers/sign-in-states.ts'
import type { DatabaseWithSecrets } from '../store/secrets/secret-box.ts'

export const PENDING_MS = 600_000

export interface NewSignIn {
  provider_id: number
  purpose: SignInPurpose
  /** Where the browser goes afterwards: a path of this service. */
  next_path: string
  /** The protocol checks the answer with them. */
  details: Record<string, string>
  /** The client's. */
  address: string
}

export interface PendingSignIns {
  /** `state` travels through the provider; `browserToken` stays in a cookie of the browser. */
  begin(state: string, signIn: NewSignIn): Promise<{ browserToken: string; maxAgeMs: number }>
  /** In any browser: for an answer that comes without the cookie. Undefined if it was taken or has expired. */
  find(state: string): Promise<SignInState | undefined>
  /**
   * Keeps a verified answer until the browser that sent it comes back. Returns the token that it gets. SIGN_IN_REFUSED
   * (`state`): the sign-in was taken, has expired, or was answered before.
   */
  answer(state: string, answer: Record<string, string>): Promise<string>
  /** Takes a sign-in that was answered. SIGN_IN_REFUSED (`state`), also if another browser sent the answer. */
  takeAnswered(state: string, browserToken: string | undefined, answerToken: string): Promise<SignInState>
  /**
   * Each sign-in can be taken once. SIGN_IN_REFUSED (`state`): it was taken before, has expired, or belongs to another
   * browser; then it can still be taken there.
   */
  take(state: string | undefined, browserToken: string | undefined): Promise<SignInState>
}

/** 256 random bits for a `state`, a nonce or a token. */
export const randomToken = (): string => randomBytes(32).toString('base64url')

export function openPendingSignIns(deps: DatabaseWithSecrets & { now: () => number }): PendingSignIns {
  const take: PendingSignIns['take'] = async (state, browserToken) => {
    if (state === undefined || browserToken === undefined) throw new SignInError('state')
    const hashes = { state_hash: hash(state), browser_hash: hash(browserToken) }
    const taken = await takeSignInState(deps, hashes, deps.now())
    if (taken === undefined) throw new SignInError('state')
    return taken
  }
  return {
    async begin(state, signIn) {
      const browserToken = randomToken()
      const hashes = { state_hash: hash(state), browser_hash: hash(browserToken) }
      await insertSignInState(deps, hashes, { ...signIn, expires_at: deps.now() + PENDING_MS }, deps.now())
      return { browserToken, maxAgeMs: PENDING_MS }
    },
    find: (state) => findSignInState(deps, hash(state), deps.now()),
    async answer(state, answer) {
      const token = randomToken()
      const details = { ...answer, answer_hash: hash(token) }
      if (!(await answerSignInState(deps, hash(state), details, deps.now()))) throw new SignInError('state')
      return token
    },
    async takeAnswered(state, browserToken, answerToken) {
      const taken = await take(state, browserToken)
      if (taken.details.answer_hash !== hash(answerToken)) throw new SignInError('state')
      return taken
    },
    take,
  }
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url')
