// Collects the lines of the log of a run until a batch writes them. Bounded in number and length.
import type { NewLogLine } from '../../store/sources/runs/attempt-log.ts'

/** The last lines of a run, and the newest runs of a pair: at most 2 MB a pair. */
export const LOG_LINES_KEPT = 500
export const LOGS_KEPT = 10
const MAX_LINE = 400

export interface AttemptLog {
  add(level: NewLogLine['level'], text: string): void
  /** Applied to each line from now on. */
  hideSecrets(hide: (text: string) => string): void
  /** Returns the lines since the last call. */
  take(): NewLogLine[]
}

/** `lastLine`: the number of the last line that is already recorded. */
export function createAttemptLog({ now, lastLine }: { now: () => number; lastLine: number }): AttemptLog {
  let lines: NewLogLine[] = []
  let line = lastLine
  let hide = (text: string) => text
  return {
    add(level, text) {
      line += 1
      // Hidden before it is cut: a part of a secret would no longer be found.
      lines.push({ line, time: now(), level, text: toOneLine(hide(text)) })
      if (lines.length > 2 * LOG_LINES_KEPT) lines = lines.slice(-LOG_LINES_KEPT)
    },
    hideSecrets(given) {
      hide = given
    },
    take() {
      const taken = lines.slice(-LOG_LINES_KEPT)
      lines = []
      return taken
    },
  }
}

/** A text of a source could otherwise forge lines. */
const toOneLine = (text: string): string =>
  text
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, MAX_LINE)
    .toWellFormed()
