// Result codes of SQLite, which extend a primary code in the lowest byte.

/** Undefined for an error of something else. */
export const resultCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) : undefined
