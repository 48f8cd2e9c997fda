// Asks a source whether a configuration and a credential work, and reports what was reached and what is wrong.
import { type Connector, SourceError, type SourceErrorKind } from '../../connectors/connector.ts'
import { AppError } from '../../domain/errors.ts'
import { type ConnectorContextDeps, type ConnectorSource, createConnectorContext } from '../source/connector-context.ts'

const TEST_TIMEOUT_MS = 20_000
const COUNT_TIMEOUT_MS = 5_000
const MAX_SERVERS = 20
const MAX_MESSAGE = 2_000

/** `timeout`: the source did not answer in time. `internal`: the connector itself failed. */
export const TEST_PROBLEMS = [
  'config',
  'credential',
  'unavailable',
  'unresolved',
  'unexpected',
  'timeout',
  'internal',
] as const satisfies readonly (SourceErrorKind | 'timeout' | 'internal')[]

export interface SourceTest {
  /** Null if the source can be read. */
  problem: {
    kind: (typeof TEST_PROBLEMS)[number]
    /** Path of the field of the configuration or the credential. */
    field: string | null
    /** The HTTP status that the source answered. */
    status: number | null
    message: string
  } | null
  /** The servers that were called, in this order. `status` is that of the last answer; null if there was none. */
  servers: { origin: string; requests: number; status: number | null }[]
  /** The number of documents that the source reports. */
  documents: number | null
  duration_ms: number
}

interface TestDeps {
  contextDeps: ConnectorContextDeps
  now: () => number
}

/** Rejects only when the signal aborts. */
export async function testSource(
  { contextDeps, now }: TestDeps,
  source: ConnectorSource,
  signal: AbortSignal,
): Promise<SourceTest> {
  const started = now()
  const servers: SourceTest['servers'] = []
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(TEST_TIMEOUT_MS)])
  const deps = { ...contextDeps, retries: 1, egress: noteServers(contextDeps.egress, servers) }
  const open = (within: AbortSignal) =>
    createConnectorContext({ ...deps, keepScan: null, recordings: null }, source, {
      ...WHOLE_SOURCE,
      until: started,
      signal: within,
    })
  const ended = (rest: Pick<SourceTest, 'problem' | 'documents'>) => ({
    ...rest,
    servers,
    duration_ms: now() - started,
  })
  try {
    await source.connector.check(open(timeout))
  } catch (error) {
    signal.throwIfAborted()
    return ended({ problem: problemOf(error, timeout.aborted), documents: null })
  }
  const documents = await countDocuments(
    source.connector,
    open(AbortSignal.any([timeout, AbortSignal.timeout(COUNT_TIMEOUT_MS)])),
  )
  signal.throwIfAborted()
  return ended({ problem: null, documents })
}

const WHOLE_SOURCE = { since: null, checkpoint: null, only: null, recall: () => Promise.resolve(null) }

/** Null if the source does not say. Runs say why, if they fail over the same request. */
async function countDocuments(
  { count }: Connector,
  context: ReturnType<typeof createConnectorContext>,
): Promise<number | null> {
  if (count === undefined) return null
  try {
    return await count(context)
  } catch {
    return null
  }
}

function problemOf(error: unknown, hasTimedOut: boolean): NonNullable<SourceTest['problem']> {
  const nothing = { field: null, status: null }
  if (hasTimedOut) {
    const message = `The source did not answer within ${TEST_TIMEOUT_MS / 1_000} seconds.`
    return { kind: 'timeout', ...nothing, message }
  }
  if (error instanceof SourceError) {
    const { kind, field, status, message } = error
    return { kind, field, status, message: message.slice(0, MAX_MESSAGE) }
  }
  if (error instanceof AppError) return { kind: 'config', ...nothing, message: error.message.slice(0, MAX_MESSAGE) }
  const message = `The connector failed: ${error instanceof Error ? error.message : String(error)}`
  return { kind: 'internal', ...nothing, message: message.slice(0, MAX_MESSAGE) }
}

/** Notes which servers are called, and their last answer. Addresses can contain secrets, so only origins are kept. */
function noteServers(
  egress: ConnectorContextDeps['egress'],
  servers: SourceTest['servers'],
): ConnectorContextDeps['egress'] {
  const note = (origin: string): { status: number | null } => {
    const known = servers.find((it) => it.origin === origin)
    const server = known ?? { origin, requests: 0, status: null }
    if (known === undefined && servers.length < MAX_SERVERS) servers.push(server)
    server.requests++
    return server
  }
  return {
    async fetch(url, request) {
      const server = note(URL.parse(String(url))?.origin ?? '')
      const answer = await egress.fetch(url, request)
      server.status = answer.status
      return answer
    },
    connect(host, port, request) {
      note(`${request.tls ? 'tls' : 'tcp'}://${host}:${port}`)
      return egress.connect(host, port, request)
    },
  }
}
