// Documents to the service in groups, a line each: many times as fast as one by one.
import { type Api, ApiError } from '../client/api.ts'
import type { IngestionRequest } from '../client/schemas.ts'
import { createPatience, type Outcome, type Sender, type Sending } from './ingest-send.ts'

const PATH = '/service-api/ingestion/batch'

/** Older services do not know it. */
export async function knowsBatches(api: Api, signal: AbortSignal): Promise<boolean> {
  const { paths = {} } = await api.json<{ paths?: object }>({ method: 'GET', path: '/openapi.json', signal })
  return PATH in paths
}

export function sendInBatches({ api, signal, clock, onWait }: Sending): Sender {
  const patience = createPatience({ signal, clock, onWait })
  return {
    maxGroup: 500,
    maxInFlight: 3,
    async send(bodies) {
      const outcomes: (Outcome | undefined)[] = bodies.map(() => undefined)
      for (let tries = 0; ; tries++) {
        const open = [...bodies.keys()].filter((at) => outcomes[at] === undefined)
        if (open.length === 0) return outcomes as Outcome[]
        const trouble = await sendOnce(api, signal, bodies, open, outcomes)
        if (outcomes.some((it) => typeof it === 'string')) patience.reward()
        if (trouble !== null) await patience.pause(trouble, tries)
      }
    },
  }
}

/** Notes what was answered. Answers what kept it from being all, or null. */
async function sendOnce(
  api: Api,
  signal: AbortSignal,
  bodies: readonly IngestionRequest[],
  open: readonly number[],
  outcomes: (Outcome | undefined)[],
): Promise<Error | null> {
  const body = open.map((at) => `${JSON.stringify(bodies[at])}\n`).join('')
  try {
    const answer = await api.raw({ method: 'POST', path: PATH, body, media: 'application/x-ndjson', signal })
    for (const line of (await answer.text()).split('\n').filter(Boolean)) {
      const result = JSON.parse(line) as Answer
      if ('done' in result) return result.done ? null : troubleOf(result.error)
      const outcome = outcomeOf(result)
      // Its place in the request is that among those that were sent.
      if (outcome !== undefined) outcomes[open[result.line - 1]!] = outcome
    }
    return new Error('the answer broke off')
  } catch (error) {
    signal.throwIfAborted()
    return error instanceof Error ? error : new Error(String(error))
  }
}

interface LineError {
  error_code?: string
  detail: string | { loc: (string | number)[]; msg: string }[]
  retry_after?: number
}

type Answer =
  | { line: number; already_existed: boolean }
  | { line: number; error: LineError }
  | { done: boolean; error?: LineError }

/** Undefined for a line that is to be sent again. */
function outcomeOf(result: Exclude<Answer, { done: boolean }>): Outcome | undefined {
  if (!('error' in result)) return result.already_existed ? 'updated' : 'created'
  if (result.error.retry_after !== undefined) return undefined
  const { detail } = result.error
  const reason =
    typeof detail === 'string' ? detail : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')
  return { refused: reason }
}

/** As if the request had been answered so as a whole. */
function troubleOf(error: LineError | undefined): Error {
  const { retry_after } = error ?? {}
  const headers = new Headers(retry_after === undefined ? {} : { 'retry-after': String(retry_after) })
  return new ApiError({ status: 503, headers }, JSON.stringify(error ?? { detail: 'the service stopped taking lines' }))
}
