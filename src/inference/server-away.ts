// What a server that does not answer says of it: for how long, and why.

/** How long a server asks to be left alone: seconds, or a date. https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
export function retryAfter(header: string | null): number | null {
  if (header === null) return null
  if (/^\d+$/.test(header.trim())) return Number(header) * 1_000
  const until = Date.parse(header)
  return Number.isNaN(until) ? null : Math.max(0, until - Date.now())
}

/** The innermost reason why nothing came of a call, such as ECONNREFUSED. */
export function causeOf(error: Error): string {
  const { cause } = error
  if (cause instanceof Error) return causeOf(cause)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
