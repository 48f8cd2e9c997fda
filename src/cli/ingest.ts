import { existsSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { getHealthReady } from '../client/operations.ts'
import { CommandError, command, ONLINE_OPTIONS, wholeNumber } from './command.ts'
import type { Connection, Context } from './context.ts'
import { EXIT } from './exit-code.ts'
import { knowsBatches, sendInBatches } from './ingest-batch.ts'
import { filesOfFolder } from './ingest-folder.ts'
import { linesOfFile, linesOfStream } from './ingest-lines.ts'
import { runIngestion } from './ingest-run.ts'
import { sendSingly } from './ingest-send.ts'
import type { Source } from './ingest-source.ts'
import { type IngestState, readState, removeState, statePath, writeState } from './ingest-state.ts'
import { duration } from './progress.ts'
import { plain, type Terminal } from './terminal.ts'

const SAVE_MS = 1_000
const SHOWN_MISHAPS = 50
const POLL_MS = 200

const OPTIONS = {
  ...ONLINE_OPTIONS,
  'cc-pair': { type: 'string', value: 'ID', help: 'the connector that the documents belong to, where they do not say' },
  wait: { type: 'boolean', help: 'end only when all of it is searchable' },
  restart: { type: 'boolean', help: 'begin at the start although an earlier run was interrupted' },
  state: { type: 'string', value: 'FILE', help: 'where to note how far it is (else below ~/.local/state/pharos)' },
  prefix: {
    type: 'string',
    value: 'TEXT',
    help: 'DIR: put before the paths to make ids (the name of the folder and a slash)',
  },
  'link-base': { type: 'string', value: 'URL', help: 'DIR: put before the paths to make links' },
  source: { type: 'string', value: 'SOURCE', help: 'DIR: the source that the documents name' },
} as const

interface Values {
  url?: string
  key?: string
  json?: boolean
  'cc-pair'?: string
  wait?: boolean
  restart?: boolean
  state?: string
  prefix?: string
  'link-base'?: string
  source?: string
}

export const ingest = command({
  name: 'ingest',
  summary: 'Pushes documents: lines of a file, the files of a folder, or the standard input.',
  usage: 'FILE.jsonl | DIR | - [options]',
  words: { min: 1, max: 1 },
  options: OPTIONS,
  help: `A FILE has one body of POST /service-api/ingestion a line:

  {"document": {"id": "a", "semantic_identifier": "A", "sections": [{"text": "…"}], "metadata": {}}, "cc_pair_id": 2}

Of a DIR every file is read in which text is known: PDF, DOCX, PPTX, XLSX, OpenDocument, EPUB, RTF, mails, HTML, Markdown,
CSV, and whatever is text; the id is the path, the title its own or the name. What lies in archives and mails is a document
of its own: "a.zip!/b.pdf". Files that cannot be read are listed, hidden ones left out. An id that exists is updated, so
nothing is doubled by a second run.

Interrupted, by Ctrl-C or otherwise, the same command goes on where it stopped; the standard input cannot. While the
service is full or being restarted it waits, for five minutes at most. It ends with 65 when documents were refused or
could not be read, and lists them.

  pharos ingest documents.jsonl --wait
  pharos ingest /srv/handbook --link-base https://wiki.example.com/ --source wiki
  export-script | pharos ingest - --cc-pair 3`,
  async run(context, { values, words }) {
    const connection = context.connect(values)
    await getHealthReady(connection.api, { signal: context.signal })
    const source = await sourceOf(context, words[0]!, values)
    const begin = context.clock()
    const { state, resumed } = await run(context, connection, source, words[0]!, values)
    if (values.wait === true) await untilSearchable(context, connection)
    const result = { ...state.tally, seconds: Math.round((context.clock() - begin) / 100) / 10, resumed_after: resumed }
    if (values.json === true) context.terminal.json({ ...result, mishaps: state.mishaps })
    else report(context.terminal, state, result.seconds)
    return state.tally.refused + state.tally.unread === 0 ? 0 : EXIT.data
  },
})

async function sourceOf({ stdin, pathOf, signal }: Context, name: string, values: Values): Promise<Source> {
  const path = pathOf(name)
  const ccPairId = wholeNumber(values['cc-pair'], 'cc-pair', { min: 0, max: Number.MAX_SAFE_INTEGER })
  if (name === '-') return linesOfStream(stdin, ccPairId)
  if (!existsSync(path)) throw new CommandError(EXIT.noInput, `There is no file or folder ${path}.`)
  if (!statSync(path).isDirectory()) return linesOfFile(path, ccPairId)
  return filesOfFolder({
    folder: path,
    ccPairId,
    prefix: values.prefix,
    linkBase: values['link-base'],
    source: values.source,
    signal,
  })
}

interface Run {
  state: IngestState
  /** The item after which it went on, or null. */
  resumed: string | null
}

async function run(
  context: Context,
  { api, url }: Connection,
  source: Source,
  name: string,
  values: Values,
): Promise<Run> {
  const { terminal, signal, clock, now, stateDir, pathOf } = context
  const identity = { source: name === '-' ? '-' : pathOf(name), fingerprint: source.fingerprint, url }
  const path = values.state === undefined ? statePath(stateDir, identity.source, url) : pathOf(values.state)
  const earlier = name === '-' || values.restart === true ? null : readState(path, identity)
  const state: IngestState = earlier ?? {
    ...identity,
    started_at: now(),
    done: '',
    tally: { created: 0, updated: 0, refused: 0, unread: 0 },
    mishaps: [],
  }
  const resumed = earlier === null ? null : earlier.done
  if (resumed !== null)
    terminal.note(`Going on after ${plain(resumed)}, where the last run stopped (--restart begins anew).`)
  const progress = terminal.progress('ingest', 'documents')
  let saved = clock()
  const onDone = (at: string, share: number | null) => {
    state.done = at
    progress.update(sum(state), share)
    if (clock() - saved < SAVE_MS) return
    saved = clock()
    save()
  }
  const save = () => {
    if (name !== '-' && state.done !== '') writeState(path, state)
  }
  const sending = { api, signal, clock, onWait: whenItWaits(terminal) }
  const sender = (await knowsBatches(api, signal)) ? sendInBatches(sending) : sendSingly(sending)
  const items = source.items(earlier && { at: earlier.done, startedAt: earlier.started_at })
  try {
    await runIngestion({ items, sender, tally: state.tally, mishaps: state.mishaps, onDone })
    removeState(path)
  } catch (error) {
    save()
    throw signal.aborted ? new CommandError(EXIT.interrupted, stopped(state, name)) : error
  } finally {
    progress.end()
  }
  return { state, resumed }
}

const sum = ({ tally }: IngestState) => tally.created + tally.updated + tally.refused + tally.unread

const stopped = (state: IngestState, name: string) =>
  `Stopped after ${sum(state).toLocaleString('en')} documents.${name === '-' ? '' : ' The same command goes on from there.'}`

/** Sixteen documents wait for the same thing: it is told once. */
function whenItWaits(terminal: Terminal): (reason: string, ms: number) => void {
  let last = ''
  return (reason, ms) => {
    if (reason !== last) terminal.note(`Waiting ${duration(ms)} or longer: ${plain(reason)}`)
    last = reason
  }
}

async function untilSearchable({ terminal, signal }: Context, { api }: Connection): Promise<void> {
  const first = (await getHealthReady(api, { signal })).data
  const progress = terminal.progress('indexing', 'changes')
  try {
    for (let now = first; now.indexed_seq < first.accepted_seq; now = (await getHealthReady(api, { signal })).data) {
      const whole = first.accepted_seq - first.indexed_seq
      const done = now.indexed_seq - first.indexed_seq
      progress.update(done, done / whole)
      await delay(POLL_MS, undefined, { signal })
    }
  } finally {
    progress.end()
  }
}

function report(terminal: Terminal, state: IngestState, seconds: number): void {
  const { created, updated, refused, unread } = state.tally
  const figures = [`${created + updated} accepted (${created} new, ${updated} updated)`]
  if (refused > 0) figures.push(`${refused} refused`)
  if (unread > 0) figures.push(`${unread} not readable`)
  terminal.say(`${figures.join(', ')}, in ${seconds} s.`)
  for (const { at, reason } of state.mishaps.slice(0, SHOWN_MISHAPS)) terminal.note(`  ${plain(at)}: ${plain(reason)}`)
  const more = refused + unread - Math.min(state.mishaps.length, SHOWN_MISHAPS)
  if (more > 0) terminal.note(`  and ${more} more (--json lists the first 10,000).`)
}
