import { ApiError } from '../../client/api.ts'
import { getMe, getVersion, listIndexingStatuses } from '../../client/operations.ts'
import { readinessOf } from '../../client/readiness.ts'
import type { ConnectorIndexingStatus } from '../../client/schemas.ts'
import { defineCommand, noPositionals, SERVICE_OPTIONS } from '../command.ts'
import type { CommandContext, ServiceConnection } from '../context.ts'
import { EXIT } from '../exit-code.ts'
import { formatTable, toPlainText } from '../terminal.ts'

export const status = defineCommand({
  name: 'status',
  summary: 'Shows the state of the service, the index and the connectors.',
  usage: '[options]',
  positionals: noPositionals,
  options: SERVICE_OPTIONS,
  help: `Exits with 0 if all is well, 69 if the service cannot be reached, 75 if it does not work correctly or indexing is
stalled, and 77 if the service does not accept the key.

  pharos status
  pharos status --json | jq .queue.pending`,
  async run(context, { values }) {
    const { terminal } = context
    const state = await readStatus(context, context.connect(values))
    if (values.json === true) terminal.json(state)
    else for (const line of formatStatus(state)) terminal.print(line)
    if (state.fault !== null || state.queue.waiting_for !== null) return EXIT.tryAgain
    return 'error' in state.key && state.key.status === 401 ? EXIT.noPermission : 0
  },
})

interface StatusReport {
  url: string
  /** The version of the API. */
  version: string
  command_version: string
  /** The fault; null if there is none. */
  fault: string | null
  queue: { accepted_seq: number; indexed_seq: number; pending: number; waiting_for: string | null }
  key: { role: string; email: string | null } | { error: string; status: number }
  /** Null if the key may not read them. */
  connectors: ConnectorIndexingStatus[] | null
}

async function readStatus(
  { version: command_version, signal }: CommandContext,
  { api, url }: ServiceConnection,
): Promise<StatusReport> {
  const [{ success, message, data: queue }, { backend_version: version }] = await Promise.all([
    readinessOf(api, { signal }),
    getVersion(api, { signal }),
  ])
  const key = await valueOrRefusal(getMe(api, { signal }))
  const sources = await valueOrRefusal(
    listIndexingStatuses(api, { body: { get_all_connectors: true, with_pushed: true }, signal }),
  )
  return {
    url,
    version,
    command_version,
    fault: success ? null : (message ?? 'The service is not ready.'),
    queue,
    key:
      key instanceof ApiError
        ? { error: key.detail, status: key.status }
        : { role: key.role, email: realEmail(key.email) },
    connectors: sources instanceof ApiError ? null : sources.flatMap((it) => it.indexing_statuses),
  }
}

/** Resolves to the error if the key is not allowed to read the value. */
const valueOrRefusal = <T>(answer: Promise<T>): Promise<T | ApiError> =>
  answer.catch((error: unknown) => {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return error
    throw error
  })

function formatStatus({ url, version, command_version, fault, queue, key, connectors }: StatusReport): string[] {
  const waiting =
    queue.pending === 0
      ? 'everything accepted is searchable'
      : `${queue.pending.toLocaleString('en')} changes wait to be indexed`
  const about = [
    `Pharos at ${url}`,
    ...(fault === null ? [] : [`  FAULT    ${toPlainText(fault)}`]),
    `  index    ${waiting}${queue.waiting_for === null ? '' : `: ${toPlainText(queue.waiting_for)}`}`,
    `  key      ${'error' in key ? describeKeyError(key) : `${key.role}${key.email === null ? '' : `, ${toPlainText(key.email)}`}`}`,
    `  version  interface ${toPlainText(version)}, this program ${command_version}`,
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
  return [...about, '', formatTable(['id', 'connector', 'source', 'status', 'indexed', 'waiting', 'failed', ''], rows)]
}

const describeKeyError = ({ error, status }: { error: string; status: number }): string =>
  status === 401 ? 'the service does not accept it: set PHAROS_API_KEY or pass --key' : toPlainText(error)

/** Keys without a person have an address in key.invalid. */
const realEmail = (email: string): string | null => (email.endsWith('@key.invalid') ? null : email)
