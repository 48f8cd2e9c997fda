// How far something is, how fast, and how long it takes yet: a bar that is drawn again at a terminal, a line now and
// then where there is none.

export interface Progress {
  /** `share` of the whole, from 0 to 1; null where nobody knows the whole. */
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

const BAR = 24
const REDRAW_MS = 100
const LINE_MS = 10_000
const CLEAR = '\r\u001b[K'

export function createProgress({ stream, label, unit, clock }: ProgressSettings): Progress {
  const isLive = stream.isTTY === true
  let first: Moment | undefined
  let drawn = isLive ? Number.NEGATIVE_INFINITY : clock()
  return {
    update(done, share) {
      const moment = { done, share, time: clock() }
      // What was done before, by the run that this one goes on with, says nothing of the speed.
      first ??= moment
      if (moment.time - drawn < (isLive ? REDRAW_MS : LINE_MS)) return
      drawn = moment.time
      const line = `${label} ${[...bar(share), ...figures(first, moment, unit)].join('  ')}`
      stream.write(isLive ? `${CLEAR}${line}` : `${line}\n`)
    },
    end() {
      if (isLive) stream.write(CLEAR)
    },
  }
}

interface Moment {
  done: number
  share: number | null
  time: number
}

function bar(share: number | null): string[] {
  if (share === null) return []
  const filled = Math.round(BAR * Math.min(Math.max(share, 0), 1))
  return [`${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${Math.floor(share * 100)} %`]
}

function figures(first: Moment, now: Moment, unit: string): string[] {
  const count = `${now.done.toLocaleString('en')} ${unit}`
  const elapsedMs = now.time - first.time
  if (elapsedMs <= 0 || now.done <= first.done) return [count]
  const rate = `${Math.round((now.done - first.done) / (elapsedMs / 1_000)).toLocaleString('en')}/s`
  if (now.share === null || first.share === null || now.share <= first.share) return [count, rate]
  return [count, rate, `${duration((elapsedMs * (1 - now.share)) / (now.share - first.share))} left`]
}

export function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
