// One-time codes of authenticator apps (TOTP, RFC 6238): six digits, a new one every 30 seconds.
import { Secret, TOTP } from 'otpauth'

/** As long as the hash that apps use, SHA-1; RFC 4226 recommends it. */
const SECRET_BYTES = 20
const PERIOD_S = 30
const ISSUER = 'Pharos'
/** The clock of a telephone may differ by one period. */
const WINDOW = 1

export const CODE_FORMAT = /^\d{6}$/

/** Hex. */
export const createTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).hex

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: ISSUER, label, secret: Secret.fromHex(secret), period: PERIOD_S, digits: 6 })

/** The secret for people to type (base32), and the `otpauth:` address for a QR code. */
export function describeTotp(secret: string, email: string): { secret: string; uri: string } {
  const totp = totpOf(secret, email)
  return { secret: totp.secret.base32, uri: totp.toString() }
}

/** The time step that the code belongs to; null if it fits no step near `now` (epoch milliseconds). */
export function stepOfCode(secret: string, code: string, now: number): number | null {
  const delta = totpOf(secret, '').validate({ token: code, timestamp: now, window: WINDOW })
  return delta === null ? null : TOTP.counter({ period: PERIOD_S, timestamp: now }) + delta
}
