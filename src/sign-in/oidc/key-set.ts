// The keys of a provider, and tokens verified with them.
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import type { createProviderFetch } from './provider-fetch.ts'

/** Without `none`, and without algorithms whose key would be the public key or the client secret. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
/** A stranger who sends tokens with unknown keys causes no more requests than these. */
const MAX_RELOADS = 5
const RELOAD_WINDOW_MS = 60_000

export interface KeySet {
  /** Rejects with an error of jose, or an `EgressError` if the keys cannot be read. */
  verify(token: string, options: Omit<JWTVerifyOptions, 'algorithms'>): Promise<JWTPayload>
}

export function createKeySet(
  url: string,
  { fetch, now }: { fetch: ReturnType<typeof createProviderFetch>; now: () => number },
): KeySet {
  const keys = createRemoteJWKSet(new URL(url), { timeoutDuration: 15_000, [customFetch]: fetch })
  let reloads: number[] = []
  const mayReload = (): boolean => {
    reloads = reloads.filter((it) => now() - it < RELOAD_WINDOW_MS)
    if (reloads.length >= MAX_RELOADS) return false
    reloads.push(now())
    return true
  }
  return {
    async verify(token, options) {
      const verify = async () => (await jwtVerify(token, keys, { ...options, algorithms: ALGORITHMS })).payload
      try {
        return await verify()
      } catch (error) {
        // The provider has new keys.
        if (!(error instanceof errors.JWKSNoMatchingKey) || !mayReload()) throw error
        await keys.reload()
        return verify()
      }
    },
  }
}
