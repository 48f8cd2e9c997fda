import { ApiError } from '../client/api.ts'
import { getHealthReady, getMe, getVersion, postManageAdminConnectorIndexingStatus } from '../client/operations.ts'
import type { ConnectorIndexingStatus } from '../client/schemas.ts'
import { command, ONLINE_OPTIONS } from './command.ts'
import type { Connection } from './context.ts'
import { EXIT } from './exit-code.ts'
import { plain, table } from './terminal.ts'

export const status = command({
  name: 'status',
  summary: 'Says whether the service answers, how far the index is, and which connectors have errors.',
  usage: '[options]',
  words: { min: 0, max: 0 },
  options: ONLINE_OPTIONS,
  help: `Ends with 0 when all is well, 69 when the service cannot be reached, 75 when indexing stands still.

  pharos status
  pharos status --json | jq .queue.pending`,
  async run({ terminal, connect, signal }, { values }) {
    const connection = connect(values)
    const state = await stateOf(connection, signal)
    if (values.json === true) terminal.json(state)
    else for (const line of lines(state)) terminal.say(line)
    return state.queue.waiting_for === null ? 0 : EXIT.tryAgain
  },
})

interface State {
  url: string
  version: string
  queue: { accepted_seq: number; indexed_seq: number; pending: number; waiting_for: string | null }
  key: { role: string; email: string | null } | { error: string }
  /** Null where the key may not see them. */
  connectors: ConnectorIndexingStatus[] | null
}

async function stateOf({ api, url }: Connection, signal: AbortSignal): Promise<State> {
  const [{ data: queue }, { backend_version: version }] = await Promise.all([
    getHealthReady(api, { signal }),
    getVersion(api, { signal }),
  ])
  const key = await unlessRefused(getMe(api, { signal }))
  const sources = await unlessRefused(
    postManageAdminConnectorIndexingStatus(api, { body: { get_all_connectors: true }, signal }),
  )
  return {
    url,
    version,
    queue,
    key: key instanceof ApiError ? { error: key.detail } : { role: key.role, email: key.email },
    connectors: sources instanceof ApiError ? null : sources.flatMap((it) => it.indexing_statuses),
  }
}

/** A key that may not ask is an answer too. */
const unlessRefused = <T>(answer: Promise<T>): Promise<T | ApiError> =>
  answer.catch((error: unknown) => {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return error
    throw error
  })

function lines({ url, version, queue, key, connectors }: State): string[] {
  const waiting =
    queue.pending === 0
      ? 'everything accepted is searchable'
      : `${queue.pending.toLocaleString('en')} changes wait to be indexed`
  const about = [
    `Pharos ${plain(version)} at ${url}`,
    `  index  ${waiting}${queue.waiting_for === null ? '' : `: ${plain(queue.waiting_for)}`}`,
    `  key    ${'error' in key ? plain(key.error) : `${key.role}${key.email === null ? '' : `, ${plain(key.email)}`}`}`,
  ]
  if (connectors === null || connectors.length === 0) return about
  const rows = connectors.map((it) => [
    it.cc_pair_id,
    it.name,
    it.source,
    it.cc_pair_status,
    it.docs_indexed,
    it.docs_waiting,
    it.docs_failed,
    it.status_reason,
  ])
  return [...about, '', table(['id', 'connector', 'source', 'status', 'indexed', 'waiting', 'failed', ''], rows)]
}
