// Counts what this process does in each minute, for the record.
import { type Meter, noopMeter } from '../domain/meter.ts'
import { addDurations, bucketOf } from '../domain/samples/durations.ts'
import { EMPTY_SAMPLE, type Sample } from '../domain/samples/sample.ts'

export interface MinuteSample {
  /** The beginning of the minute. */
  at: number
  sample: Sample
}

export interface Sampler {
  meter: Meter
  /** Returns the minutes that have ended since the last call, oldest first. A minute in which the process slept is absent. */
  takeEnded(): MinuteSample[]
  /** Also returns the current minute, as far as it was measured, and begins it again. */
  takeAll(): MinuteSample[]
}

const MINUTE_MS = 60_000
/** Readiness answers 503 as long as the service is not ready: that is a report, and no error. */
const READINESS_ROUTE = '/health/ready'

export function createSampler({ now }: { now: () => number }): Sampler {
  let ended: MinuteSample[] = []
  let started = now()
  let current = { at: minuteOf(started), sample: EMPTY_SAMPLE }
  const end = (at: number) => {
    const measured_ms = Math.max(0, Math.min(at, current.at + MINUTE_MS) - started)
    ended.push({ at: current.at, sample: { ...current.sample, measured_ms } })
  }
  const advance = () => {
    const time = now()
    const at = minuteOf(time)
    if (at === current.at) return
    end(time)
    // Nothing was measured between two minutes that do not follow each other.
    started = at === current.at + MINUTE_MS ? at : time
    current = { at, sample: EMPTY_SAMPLE }
  }
  const add = (counts: (sample: Sample) => Partial<Sample>) => {
    advance()
    current.sample = { ...current.sample, ...counts(current.sample) }
  }
  const take = () => {
    const taken = ended
    ended = []
    return taken
  }
  return {
    meter: createMeter(add),
    takeEnded() {
      advance()
      return take()
    },
    takeAll() {
      advance()
      const time = now()
      end(time)
      started = time
      current = { at: current.at, sample: EMPTY_SAMPLE }
      return take()
    },
  }
}

const createMeter = (add: (counts: (sample: Sample) => Partial<Sample>) => void): Meter => ({
  ...noopMeter,
  countAccepted({ outcome }) {
    if (outcome === 'created' || outcome === 'updated') add((it) => ({ documents_accepted: it.documents_accepted + 1 }))
  },
  countPulled: (documents) => add((it) => ({ documents_accepted: it.documents_accepted + documents })),
  countIndexed: ({ indexed, failed }) =>
    add((it) => ({
      documents_indexed: it.documents_indexed + indexed,
      documents_failed: it.documents_failed + failed,
    })),
  countSearch: ({ seconds }) =>
    add((it) => ({ searches: addDurations(it.searches, { [bucketOf(seconds * 1_000)]: 1 }) })),
  countChat: () => add((it) => ({ answers: it.answers + 1 })),
  countTokens: ({ input, output }) =>
    add((it) => ({ input_tokens: it.input_tokens + input, output_tokens: it.output_tokens + output })),
  countResponse({ route, status }) {
    if (status >= 500 && route !== READINESS_ROUTE) add((it) => ({ server_errors: it.server_errors + 1 }))
  },
})

const minuteOf = (time: number): number => Math.floor(time / MINUTE_MS) * MINUTE_MS
