import { setTimeout as delay } from 'node:timers/promises'
import { type Api, ApiError } from '../client/api.ts'
import { getAdminReindex, getAdminReindexEstimate, postAdminReindex } from '../client/operations.ts'
import type { ReindexEstimate, ReindexStatus } from '../client/schemas.ts'
import { AppError } from '../domain/errors.ts'
import { CommandError, command, ONLINE_OPTIONS } from './command.ts'
import type { Connection, Context, OnProgress } from './context.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { follow } from './follow.ts'
import { plain, type Terminal } from './terminal.ts'

const POLL_MS = 500

export const reindex = command({
  name: 'reindex',
  summary: 'Makes the index anew from the record, while the service runs or not.',
  usage: '[options]',
  words: { min: 0, max: 0 },
  options: ONLINE_OPTIONS,
  help: `The index holds nothing that is not in the record. A damaged one is filled again by itself; this is for when you
want it now, or want to see that it can be done.

While the service runs on DATA_DIR, or where --url or PHAROS_URL names one, the service makes a second index beside the
one that serves: searches go on and miss nothing, and the new one takes over when it is whole. Ctrl-C leaves it at work;
the same command follows it again. Where EMBEDDING names another model than that of the present index, the new one takes
over when it has all its vectors; what they cost is told before. When no service runs on DATA_DIR, this command makes the index by itself;
interrupted, the next start of the service goes on from there.

  pharos reindex
  pharos reindex --url https://search.example.com`,
  async run(context, { values }) {
    const connection = context.connect(values)
    const isJson = values.json === true
    if (!connection.isOwn) return besideOne(context, connection, isJson)
    try {
      return await byItself(context, isJson)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'DATA_IN_USE') throw error
      return await besideOne(context, connection, isJson).catch((reason: unknown) => {
        throw isUnreachable(reason) ? unfound(error, connection, reason) : reason
      })
    }
  },
})

async function byItself({ terminal, offline, clock }: Context, isJson: boolean): Promise<ExitCode> {
  const begin = clock()
  const { documents } = await follow(terminal, 'reindex', offline.reindex)
  const seconds = secondsOf(clock() - begin)
  if (isJson) terminal.json({ documents, seconds })
  else terminal.say(`The index holds ${documents.toLocaleString('en')} documents, filled in ${seconds} s.`)
  return 0
}

async function besideOne(context: Context, { api, url }: Connection, isJson: boolean): Promise<ExitCode> {
  const { terminal, signal, clock } = context
  const begin = clock()
  const cost = costOf(await getAdminReindexEstimate(api, { signal }))
  if (cost !== null) terminal.note(cost)
  const first = await begun(api, terminal, signal)
  const { generation, last } = await follow(terminal, 'reindex', (onProgress) =>
    untilIdle({ api, terminal, signal, onProgress }, first),
  ).catch((error: unknown) => {
    throw signal.aborted ? new CommandError(EXIT.interrupted, GOES_ON, { cause: error }) : error
  })
  if (first.building !== null && first.building.generation > generation) {
    throw new CommandError(EXIT.tryAgain, 'It was given up before it was whole; the index that was there serves on.')
  }
  const seconds = secondsOf(last?.generation === generation ? last.took_ms : clock() - begin)
  if (isJson) terminal.json({ generation, seconds })
  else terminal.say(`Index ${generation} serves at ${plain(url)}, made in ${seconds} s.`)
  return 0
}

const GOES_ON =
  'The service goes on making it. "pharos reindex" follows it again; DELETE /admin/reindex of the service gives it up.'

/** Null where the model has nothing to do. */
function costOf({ model, chunks, new_vectors, ...it }: ReindexEstimate): string | null {
  if (model === null || new_vectors === 0) return null
  const time =
    it.estimated_s === null ? `an unknown time (${it.reason})` : `about ${Math.ceil(it.estimated_s / 60)} min`
  const [made, all, tokens] = [new_vectors, chunks, it.estimated_tokens].map((count) => count.toLocaleString('en'))
  return plain(`${model} is asked for the vectors of ${made} of ${all} chunks: about ${tokens} tokens, ${time}.`)
}

/** One that is under way already is as good. */
async function begun(api: Api, terminal: Terminal, signal: AbortSignal): Promise<ReindexStatus> {
  try {
    return await postAdminReindex(api, { signal })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.error_code === 'INDEX_FILLING') throw new CommandError(EXIT.tryAgain, error.detail, { cause: error })
    if (error.error_code !== 'REINDEX_UNDERWAY') throw error
    terminal.note('The index is being made anew already; this follows it.')
    return await getAdminReindex(api, { signal })
  }
}

interface Following {
  api: Api
  terminal: Terminal
  signal: AbortSignal
  onProgress: OnProgress
}

async function untilIdle(
  { api, terminal, signal, onProgress }: Following,
  first: ReindexStatus,
): Promise<ReindexStatus> {
  let reason: string | null = null
  for (let state = first; ; state = await getAdminReindex(api, { signal })) {
    if (state.building === null) return state
    const { done, total, waiting_for, vectors } = state.building
    if (vectors === null || done < total) onProgress({ step: 'documents', done, total })
    else onProgress({ step: 'vectors', done: vectors.total - vectors.pending, total: vectors.total })
    if (waiting_for !== null && waiting_for !== reason) terminal.note(`It stands still: ${plain(waiting_for)}`)
    reason = waiting_for
    await delay(POLL_MS, undefined, { signal })
  }
}

/** Something has the data, and it is no service, or not where it was looked for. */
function unfound({ message }: AppError, { url }: Connection, cause: unknown): CommandError {
  const where = `No service answers at ${url}; if one runs elsewhere, --url names it.`
  return new CommandError(EXIT.tryAgain, `${message}\n${where}`, { cause })
}

/** What `fetch` throws when nobody is there. */
const isUnreachable = (error: unknown) => error instanceof TypeError && error.message === 'fetch failed'

const secondsOf = (ms: number) => Math.round(ms / 100) / 10
