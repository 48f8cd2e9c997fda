// Shuts the process down in order on a signal, or when the process that started it ends.
import { EXIT } from '../cli/exit-code.ts'
import type { Logger } from '../domain/logger.ts'

const STOP_WITHIN_MS = 9_000

/** The same signal may arrive twice, because npm forwards it too. */
export function stopOnSignal(logger: Logger, stop: () => Promise<void>): void {
  let isStopping = false
  const beginStop = (why: string) => {
    if (isStopping) return
    isStopping = true
    logger.info({ why }, 'shutdown started')
    setTimeout(() => process.exit(EXIT.software), STOP_WITHIN_MS).unref()
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'shutdown failed')
        process.exit(EXIT.software)
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => beginStop(signal))
  process.on('disconnect', () => beginStop('the parent process ended'))
}
