/**
 * The wait in milliseconds that a `Retry-After` header asks for, in seconds or as a date; null if it asks for none:
 * https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
export function parseRetryAfter(header: string | null | undefined, now: number): number | null {
  const text = header?.trim() ?? ''
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isFinite(waitMs) ? Math.max(waitMs, 0) : null
}
