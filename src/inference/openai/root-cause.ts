/** The innermost cause of a failed call, such as ECONNREFUSED. */
export function rootCauseOf(error: Error): string {
  const { cause } = error
  if (cause instanceof Error) return rootCauseOf(cause)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
