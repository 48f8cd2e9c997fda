// Sign-ins that have left for a provider: a secret that travels through the provider, and one that stays in the browser.
import { createHash, randomBytes } from 'node:crypto'
import type { SignInPurpose } from '../domain/sign-in/provider.ts'
import { SignInError } from '../domain/sign-in/verified-identity.ts'
import { insertSignInState, type SignInState, takeSignInState } from '../store/identity/providers/sign-in-states.ts'
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
  /**
   * Each sign-in can be taken once. SIGN_IN_REFUSED (`state`): it was taken before, has expired, or belongs to another
   * browser; then it can still be taken there.
   */
  take(state: string | undefined, browserToken: string | undefined): Promise<SignInState>
}

/** 256 random bits for a `state`, a nonce or a token. */
export const randomToken = (): string => randomBytes(32).toString('base64url')

export const openPendingSignIns = (deps: DatabaseWithSecrets & { now: () => number }): PendingSignIns => ({
  async begin(state, signIn) {
    const browserToken = randomToken()
    const hashes = { state_hash: hash(state), browser_hash: hash(browserToken) }
    await insertSignInState(deps, hashes, { ...signIn, expires_at: deps.now() + PENDING_MS }, deps.now())
    return { browserToken, maxAgeMs: PENDING_MS }
  },
  async take(state, browserToken) {
    if (state === undefined || browserToken === undefined) throw new SignInError('state')
    const hashes = { state_hash: hash(state), browser_hash: hash(browserToken) }
    const taken = await takeSignInState(deps, hashes, deps.now())
    if (taken === undefined) throw new SignInError('state')
    return taken
  },
})

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url')
