// What does a thrown value say? Anything can be thrown, so nothing about it is known before it is looked at.

/** The code that Node gives to errors of the system and of its own, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
