// A progress display with rate and remaining time: a bar that is redrawn on a terminal, otherwise an occasional line.

export interface ProgressBar {
  /** `share` is the completed fraction from 0 to 1; null if the total is unknown. */
  update(done: number, share: number | null): void
  end(): void
}

export interface ProgressSettings {
  stream: { write(text: string): unknown; isTTY?: boolean }
  label: string
  unit: string
  /** Monotonic, in milliseconds. */
  clock: () => number
}

const BAR_WIDTH = 24
const REDRAW_INTERVAL_MS = 100
const LINE_INTERVAL_MS = 10_000
const CLEAR = '\r\u001b[K'

export function createProgressBar({ stream, label, unit, clock }: ProgressSettings): ProgressBar {
  const isLive = stream.isTTY === true
  let first: ProgressSample | undefined
  let drawn = isLive ? Number.NEGATIVE_INFINITY : clock()
  return {
    update(done, share) {
      const sample = { done, share, time: clock() }
      // Work of an earlier run does not count for the rate.
      first ??= sample
      if (sample.time - drawn < (isLive ? REDRAW_INTERVAL_MS : LINE_INTERVAL_MS)) return
      drawn = sample.time
      const line = `${label} ${[...formatBar(share), ...formatFigures(first, sample, unit)].join('  ')}`
      stream.write(isLive ? `${CLEAR}${line}` : `${line}\n`)
    },
    end() {
      if (isLive) stream.write(CLEAR)
    },
  }
}

interface ProgressSample {
  done: number
  share: number | null
  time: number
}

function formatBar(share: number | null): string[] {
  if (share === null) return []
  const filled = Math.round(BAR_WIDTH * Math.min(Math.max(share, 0), 1))
  return [`${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${Math.floor(share * 100)} %`]
}

function formatFigures(first: ProgressSample, now: ProgressSample, unit: string): string[] {
  const count = `${now.done.toLocaleString('en')} ${unit}`
  const elapsedMs = now.time - first.time
  if (elapsedMs <= 0 || now.done <= first.done) return [count]
  const rate = `${Math.round((now.done - first.done) / (elapsedMs / 1_000)).toLocaleString('en')}/s`
  if (now.share === null || first.share === null || now.share <= first.share) return [count, rate]
  return [count, rate, `${formatDuration((elapsedMs * (1 - now.share)) / (now.share - first.share))} left`]
}

export function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
