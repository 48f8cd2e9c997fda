import type { OnProgress } from './context.ts'
import type { ProgressBar } from './progress.ts'
import type { Terminal } from './terminal.ts'

/** Shows the progress of each step on its own line. */
export async function showProgress<T>(
  terminal: Terminal,
  label: string,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  let current: { step: string; progress: ProgressBar } | undefined
  try {
    return await work(({ step, done, total }) => {
      if (current?.step !== step) {
        current?.progress.end()
        current = { step, progress: terminal.progress(`${label}: ${step}`, '') }
      }
      current.progress.update(done, total === null ? null : done / Math.max(total, 1))
    })
  } finally {
    current?.progress.end()
  }
}
