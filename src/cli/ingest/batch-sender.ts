// Sends documents in batches, one per line, which is many times faster than single requests.
import { type Api, ApiError } from '../../client/api.ts'
import type { IngestionRequest } from '../../client/schemas.ts'
import { acceptedOutcome, createRetryPolicy, type IngestOutcome, type Sender, type SenderDeps } from './sender.ts'

const PATH = '/service-api/ingestion/batch'

/** Older services do not support batches. */
export async function supportsBatches(api: Api, signal: AbortSignal): Promise<boolean> {
  const { paths = {} } = await api.json<{ paths?: object }>({ method: 'GET', path: '/openapi.json', signal })
  return PATH in paths
}

export function createBatchSender({ api, signal, clock, onWait }: SenderDeps): Sender {
  const retryPolicy = createRetryPolicy({ signal, clock, onWait })
  return {
    maxGroup: 500,
    maxInFlight: 3,
    async send(bodies) {
      const outcomes: (IngestOutcome | undefined)[] = bodies.map(() => undefined)
      for (let tries = 0; ; tries++) {
        const answered = outcomes.filter((it) => it !== undefined)
        if (answered.length === outcomes.length) return answered
        const unanswered = [...bodies.keys()].filter((at) => outcomes[at] === undefined)
        const failure = await sendBatch(api, signal, bodies, unanswered, outcomes)
        if (outcomes.some((it) => it !== undefined && !(typeof it === 'object' && 'refused' in it)))
          retryPolicy.recordSuccess()
        if (failure !== null) await retryPolicy.waitBeforeRetry(failure, tries)
      }
    },
  }
}

/** Records the outcomes in the response. Returns the error that ended it early, or null. */
async function sendBatch(
  api: Api,
  signal: AbortSignal,
  bodies: readonly IngestionRequest[],
  unanswered: readonly number[],
  outcomes: (IngestOutcome | undefined)[],
): Promise<Error | null> {
  const body = unanswered.map((at) => `${JSON.stringify(bodies[at])}\n`).join('')
  try {
    const answer = await api.raw({ method: 'POST', path: PATH, body, media: 'application/x-ndjson', signal })
    for (const line of (await answer.text()).split('\n').filter(Boolean)) {
      const result: BatchLine = JSON.parse(line)
      if ('done' in result) return result.done ? null : errorOfLine(result.error)
      const outcome = outcomeOfLine(result)
      // Line numbers count the documents of this request.
      const at = unanswered[result.line - 1]
      if (outcome !== undefined && at !== undefined) outcomes[at] = outcome
    }
    return new Error('the response ended early')
  } catch (error) {
    signal.throwIfAborted()
    return error instanceof Error ? error : new Error(String(error))
  }
}

interface BatchLineError {
  error_code?: string
  detail: string | { loc: (string | number)[]; msg: string }[]
  retry_after?: number
}

type BatchLine =
  | { line: number; already_existed: boolean; warnings?: string[] }
  | { line: number; error: BatchLineError }
  | { done: boolean; error?: BatchLineError }

/** Undefined for a line that must be sent again. */
function outcomeOfLine(result: Exclude<BatchLine, { done: boolean }>): IngestOutcome | undefined {
  if (!('error' in result)) return acceptedOutcome(result)
  if (result.error.retry_after !== undefined) return undefined
  const { detail } = result.error
  const reason =
    typeof detail === 'string' ? detail : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')
  return { refused: reason }
}

/** Converts an error line to the error of a failed request. */
function errorOfLine(error: BatchLineError | undefined): Error {
  const { retry_after } = error ?? {}
  const headers = new Headers(retry_after === undefined ? {} : { 'retry-after': String(retry_after) })
  return new ApiError({ status: 503, headers }, JSON.stringify(error ?? { detail: 'the service stopped taking lines' }))
}
