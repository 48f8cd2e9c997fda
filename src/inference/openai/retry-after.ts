// Reads wait times and causes from the errors of a server.

/**
 * How long to wait in milliseconds, given as seconds or a date:
 * https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
export function parseRetryAfter(header: string | null): number | null {
  if (header === null) return null
  if (/^\d+$/.test(header.trim())) return Number(header) * 1_000
  const until = Date.parse(header)
  return Number.isNaN(until) ? null : Math.max(0, until - Date.now())
}

/** The innermost cause of a failed call, such as ECONNREFUSED. */
export function rootCauseOf(error: Error): string {
  const { cause } = error
  if (cause instanceof Error) return rootCauseOf(cause)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
