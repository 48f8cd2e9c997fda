import { setTimeout as delay } from 'node:timers/promises'
import { type Api, ApiError } from '../../client/api.ts'
import { estimateReindex, getReindexStatus, startReindex } from '../../client/operations.ts'
import type { ReindexEstimate, ReindexStatus } from '../../client/schemas.ts'
import { AppError } from '../../domain/errors.ts'
import { CommandError, defineCommand, noPositionals, SERVICE_OPTIONS } from '../command.ts'
import type { CommandContext, OnProgress, ServiceConnection } from '../context.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { showProgress } from '../show-progress.ts'
import { type Terminal, toPlainText } from '../terminal.ts'

const POLL_MS = 500

export const reindex = defineCommand({
  name: 'reindex',
  summary: 'Rebuilds the index from the record. The service may be running.',
  usage: '[options]',
  positionals: noPositionals,
  options: SERVICE_OPTIONS,
  help: `The index holds nothing that is not in the record. The service rebuilds a damaged index by itself; use this command to
rebuild it now, or to see that a rebuild works.

While the service runs on DATA_DIR, or when --url or PHAROS_URL names one, the service builds a second index. Searches
continue on the first one and miss nothing, and the second one takes over when it is complete. Ctrl-C stops the display,
not the work; the same command shows it again. If EMBEDDING names another model than the present index has, the new index
takes over when it has all its vectors; the command shows beforehand what they cost. When no service runs on DATA_DIR,
this command builds the index itself. If it is interrupted, the next start of the service continues.

  pharos reindex
  pharos reindex --url https://search.example.com`,
  async run(context, { values }) {
    const connection = context.connect(values)
    const isJson = values.json === true
    if (!connection.isDefault) return reindexOnline(context, connection, isJson)
    try {
      return await reindexOffline(context, isJson)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'DATA_IN_USE') throw error
      return await reindexOnline(context, connection, isJson).catch((reason: unknown) => {
        throw isUnreachable(reason) ? createNoServiceError(error, connection, reason) : reason
      })
    }
  },
})

async function reindexOffline({ terminal, openOffline, clock }: CommandContext, isJson: boolean): Promise<ExitCode> {
  const begin = clock()
  const { documents } = await showProgress(terminal, 'reindex', (await openOffline()).reindex)
  const seconds = toSeconds(clock() - begin)
  if (isJson) terminal.json({ documents, seconds })
  else terminal.print(`The index holds ${documents.toLocaleString('en')} documents, rebuilt in ${seconds} s.`)
  return 0
}

async function reindexOnline(
  context: CommandContext,
  { api, url }: ServiceConnection,
  isJson: boolean,
): Promise<ExitCode> {
  const { terminal, signal, clock } = context
  const begin = clock()
  const cost = describeCost(await estimateReindex(api, { signal }))
  if (cost !== null) terminal.note(cost)
  const first = await startOrFollowReindex(api, terminal, signal)
  const { generation, last } = await showProgress(terminal, 'reindex', (onProgress) =>
    waitUntilIdle({ api, terminal, signal, onProgress }, first),
  ).catch((error: unknown) => {
    throw signal.aborted ? new CommandError(EXIT.interrupted, CONTINUES_MESSAGE, { cause: error }) : error
  })
  if (first.building !== null && first.building.generation > generation) {
    throw new CommandError(EXIT.tryAgain, 'The reindex was cancelled. The previous index stays in use.')
  }
  const seconds = toSeconds(last?.generation === generation ? last.took_ms : clock() - begin)
  if (isJson) terminal.json({ generation, seconds })
  else terminal.print(`Index ${generation} serves at ${toPlainText(url)}, made in ${seconds} s.`)
  return 0
}

const CONTINUES_MESSAGE =
  'The service continues the reindex. Run "pharos reindex" to follow it again, or cancel it with DELETE /admin/reindex.'

/** Null if no vectors must be computed. */
function describeCost({ model, chunks, new_vectors, ...it }: ReindexEstimate): string | null {
  if (model === null || new_vectors === 0) return null
  const time =
    it.estimated_s === null ? `an unknown time (${it.reason})` : `about ${Math.ceil(it.estimated_s / 60)} min`
  const [made, all, tokens] = [new_vectors, chunks, it.estimated_tokens].map((count) => count.toLocaleString('en'))
  return toPlainText(`${model} is asked for the vectors of ${made} of ${all} chunks: about ${tokens} tokens, ${time}.`)
}

/** Follows a reindex that is already running. */
async function startOrFollowReindex(api: Api, terminal: Terminal, signal: AbortSignal): Promise<ReindexStatus> {
  try {
    return await startReindex(api, { signal })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.error_code === 'INDEX_FILLING') throw new CommandError(EXIT.tryAgain, error.detail, { cause: error })
    if (error.error_code !== 'REINDEX_UNDERWAY') throw error
    terminal.note('A reindex is already running; following it.')
    return await getReindexStatus(api, { signal })
  }
}

interface ReindexFollower {
  api: Api
  terminal: Terminal
  signal: AbortSignal
  onProgress: OnProgress
}

async function waitUntilIdle(
  { api, terminal, signal, onProgress }: ReindexFollower,
  first: ReindexStatus,
): Promise<ReindexStatus> {
  let reason: string | null = null
  for (let state = first; ; state = await getReindexStatus(api, { signal })) {
    if (state.building === null) return state
    const { done, total, waiting_for, vectors } = state.building
    if (vectors === null || done < total) onProgress({ step: 'documents', done, total })
    else onProgress({ step: 'vectors', done: vectors.total - vectors.pending, total: vectors.total })
    if (waiting_for !== null && waiting_for !== reason) terminal.note(`Waiting: ${toPlainText(waiting_for)}`)
    reason = waiting_for
    await delay(POLL_MS, undefined, { signal })
  }
}

/** Another process uses the data, but no service answers at the address. */
function createNoServiceError({ message }: AppError, { url }: ServiceConnection, cause: unknown): CommandError {
  const where = `No service answers at ${url}. If it runs elsewhere, pass its address with --url.`
  return new CommandError(EXIT.tryAgain, `${message}\n${where}`, { cause })
}

/** The error of `fetch` if nothing listens at the address. */
const isUnreachable = (error: unknown) => error instanceof TypeError && error.message === 'fetch failed'

const toSeconds = (ms: number) => Math.round(ms / 100) / 10
