/**
 * Returns true if the process or the machine has no file descriptor left at the moment. Nothing was written and nothing
 * is lost. When a thread fails to start, only the message shows it.
 */
export function isOutOfFiles(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? error.code : undefined
  return (
    code === 'EMFILE' || code === 'ENFILE' || /^(?:Worker initialization failure: )?E[MN]FILE\b/.test(error.message)
  )
}
