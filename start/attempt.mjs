// Steps that may fail without harm.
import fs from 'node:fs'

/** Returns the result of the step (true for undefined), or null if it fails. */
export function attempt(step) {
  try {
    return step() ?? true
  } catch {
    return null
  }
}

export function remove(path) {
  attempt(() => fs.rmSync(path, { recursive: true, force: true, maxRetries: 3 }))
}
