import { existsSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { readinessOf } from '../../client/readiness.ts'
import { CommandError, defineCommand, onePositional, parseWholeNumber, SERVICE_OPTIONS } from '../command.ts'
import type { CommandContext, ServiceConnection } from '../context.ts'
import { EXIT } from '../exit-code.ts'
import { createBatchSender, supportsBatches } from '../ingest/batch-sender.ts'
import { openFolderSource } from '../ingest/folder-source.ts'
import { createStreamSource, openFileSource } from '../ingest/line-source.ts'
import { runIngestion } from '../ingest/run-ingestion.ts'
import { createSingleSender } from '../ingest/sender.ts'
import type { IngestSource } from '../ingest/source.ts'
import { type IngestState, readState, removeState, statePath, writeState } from '../ingest/state.ts'
import { formatDuration } from '../progress.ts'
import { type Terminal, toPlainText } from '../terminal.ts'

const SAVE_MS = 1_000
const MAX_SHOWN_PROBLEMS = 50
const POLL_MS = 200

const OPTIONS = {
  ...SERVICE_OPTIONS,
  'cc-pair': { type: 'string', value: 'ID', help: 'connector of documents that name none' },
  wait: { type: 'boolean', help: 'wait until all documents are searchable' },
  restart: { type: 'boolean', help: 'start over instead of resuming an interrupted run' },
  state: { type: 'string', value: 'FILE', help: 'file for the progress (default: below ~/.local/state/pharos)' },
  prefix: {
    type: 'string',
    value: 'TEXT',
    help: 'DIR: prefix of ids before the path (default: the name of the folder and a slash)',
  },
  'link-base': { type: 'string', value: 'URL', help: 'DIR: prefix of links before the path' },
  source: { type: 'string', value: 'SOURCE', help: 'DIR: source of the documents' },
} as const

interface IngestValues {
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

export const ingest = defineCommand({
  name: 'ingest',
  summary: 'Pushes documents: lines of a file, files of a folder, or standard input.',
  usage: 'FILE.jsonl | DIR | - [options]',
  positionals: onePositional,
  options: OPTIONS,
  help: `A FILE has one body of POST /service-api/ingestion per line:

  {"document": {"id": "a", "semantic_identifier": "A", "sections": [{"text": "…"}], "metadata": {}}, "cc_pair_id": 2}

In a DIR, all files in supported formats are read: PDF, DOCX, PPTX, XLSX, OpenDocument, EPUB, RTF, mail, HTML, Markdown,
CSV and plain text. The id is the path, the title is that of the file or its name. Files in archives and mails become
separate documents: "a.zip!/b.pdf". Unreadable files are listed, hidden files are skipped. A document with an existing id
is updated, so a second run creates no duplicates.

After an interruption, run the same command again to resume; this does not work for standard input. The command waits up
to five minutes while the service is full or restarting. It exits with 65 if documents were rejected or unreadable, and
lists them.

  pharos ingest documents.jsonl --wait
  pharos ingest /srv/handbook --link-base https://wiki.example.com/ --source wiki
  export-script | pharos ingest - --cc-pair 3`,
  async run(context, { values, positionals: name }) {
    const connection = context.connect(values)
    await readinessOf(connection.api, { signal: context.signal })
    const source = await openSource(context, name, values)
    const begin = context.clock()
    const { state, resumed } = await runIngest(context, connection, source, name, values)
    if (values.wait === true) await waitUntilSearchable(context, connection)
    const result = { ...state.tally, seconds: Math.round((context.clock() - begin) / 100) / 10, resumed_after: resumed }
    if (values.json === true)
      context.terminal.json({ ...result, mishaps: state.mishaps, without_text_items: state.without_text })
    else printReport(context.terminal, state, result.seconds)
    return state.tally.refused + state.tally.unread === 0 ? 0 : EXIT.data
  },
})

async function openSource(
  { stdin, pathOf, signal }: CommandContext,
  name: string,
  values: IngestValues,
): Promise<IngestSource> {
  const path = pathOf(name)
  const ccPairId = parseWholeNumber(values['cc-pair'], 'cc-pair', { min: 0, max: Number.MAX_SAFE_INTEGER })
  if (name === '-') return createStreamSource(stdin, ccPairId)
  if (!existsSync(path)) throw new CommandError(EXIT.noInput, `File or folder ${path} does not exist.`)
  if (!statSync(path).isDirectory()) return openFileSource(path, ccPairId)
  return openFolderSource({
    folder: path,
    ccPairId,
    prefix: values.prefix,
    linkBase: values['link-base'],
    source: values.source,
    signal,
  })
}

interface IngestResult {
  state: IngestState
  /** The item after which the run resumed; null if it started at the beginning. */
  resumed: string | null
}

async function runIngest(
  context: CommandContext,
  { api, url }: ServiceConnection,
  source: IngestSource,
  name: string,
  values: IngestValues,
): Promise<IngestResult> {
  const { terminal, signal, clock, now, stateDir, pathOf } = context
  const identity = { source: name === '-' ? '-' : pathOf(name), fingerprint: source.fingerprint, url }
  const path = values.state === undefined ? statePath(stateDir, identity.source, url) : pathOf(values.state)
  const earlier = name === '-' || values.restart === true ? null : readState(path, identity)
  const state: IngestState = earlier ?? {
    ...identity,
    started_at: now(),
    done: '',
    tally: { created: 0, updated: 0, refused: 0, unread: 0, without_text: 0 },
    mishaps: [],
    without_text: [],
  }
  const resumed = earlier === null ? null : earlier.done
  if (resumed !== null)
    terminal.note(`Resuming after ${toPlainText(resumed)}, where the last run stopped (--restart starts over).`)
  const progress = terminal.progress('ingest', 'documents')
  let saved = clock()
  const onDone = (at: string, share: number | null) => {
    state.done = at
    progress.update(countDone(state), share)
    if (clock() - saved < SAVE_MS) return
    saved = clock()
    save()
  }
  const save = () => {
    if (name !== '-' && state.done !== '') writeState(path, state)
  }
  const sending = { api, signal, clock, onWait: createWaitNotice(terminal) }
  const sender = (await supportsBatches(api, signal)) ? createBatchSender(sending) : createSingleSender(sending)
  const items = source.items(earlier && { at: earlier.done, startedAt: earlier.started_at })
  try {
    const { tally, mishaps, without_text: withoutText } = state
    await runIngestion({ items, sender, tally, mishaps, withoutText, onDone })
    removeState(path)
  } catch (error) {
    save()
    throw signal.aborted ? new CommandError(EXIT.interrupted, stopMessage(state, name)) : error
  } finally {
    progress.end()
  }
  return { state, resumed }
}

const countDone = ({ tally }: IngestState) => tally.created + tally.updated + tally.refused + tally.unread

const stopMessage = (state: IngestState, name: string) =>
  `Stopped after ${countDone(state).toLocaleString('en')} documents.${name === '-' ? '' : ' Run the same command again to resume.'}`

/** Prints a reason once, although many documents wait for it. */
function createWaitNotice(terminal: Terminal): (reason: string, ms: number) => void {
  let last = ''
  return (reason, ms) => {
    if (reason !== last) terminal.note(`Waiting ${formatDuration(ms)} or longer: ${toPlainText(reason)}`)
    last = reason
  }
}

async function waitUntilSearchable({ terminal, signal }: CommandContext, { api }: ServiceConnection): Promise<void> {
  const first = (await readinessOf(api, { signal })).data
  const progress = terminal.progress('indexing', 'changes')
  try {
    for (let now = first; now.indexed_seq < first.accepted_seq; now = (await readinessOf(api, { signal })).data) {
      const whole = first.accepted_seq - first.indexed_seq
      const done = now.indexed_seq - first.indexed_seq
      progress.update(done, done / whole)
      await delay(POLL_MS, undefined, { signal })
    }
  } finally {
    progress.end()
  }
}

function printReport(terminal: Terminal, state: IngestState, seconds: number): void {
  const { created, updated, refused, unread, without_text } = state.tally
  const figures = [`${created + updated} accepted (${created} new, ${updated} updated)`]
  if (without_text > 0) figures.push(`${without_text} of them without text`)
  if (refused > 0) figures.push(`${refused} refused`)
  if (unread > 0) figures.push(`${unread} unreadable`)
  terminal.print(`${figures.join(', ')}, in ${seconds} s.`)
  for (const { at, reason } of state.mishaps.slice(0, MAX_SHOWN_PROBLEMS))
    terminal.note(`  ${toPlainText(at)}: ${toPlainText(reason)}`)
  const named = state.without_text.slice(0, MAX_SHOWN_PROBLEMS)
  for (const at of named)
    terminal.note(`  ${toPlainText(at)}: contains no text, so only its title is searchable. It may be a scan.`)
  if (without_text > named.length) terminal.note(`  and ${without_text - named.length} more without text`)
  const more = refused + unread - Math.min(state.mishaps.length, MAX_SHOWN_PROBLEMS)
  if (more > 0) terminal.note(`  and ${more} more (--json lists the first 10,000).`)
}
