import type { OnProgress } from './context.ts'
import type { Progress } from './progress.ts'
import type { Terminal } from './terminal.ts'

/** Shows how far a work of several steps is, each with a line of its own. */
export async function follow<T>(
  terminal: Terminal,
  label: string,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  let current: { step: string; progress: Progress } | undefined
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
