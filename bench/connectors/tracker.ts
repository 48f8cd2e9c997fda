// Reads a tracker of 20,000 issues, and checks that a run after 200 changes reads only those 200.
import { createRequester } from '../../test/api/request.ts'
import { connectorOf, createSetup } from '../../test/api/setup.ts'
import { EMAIL, openTracker, type TrackerServer } from '../../test/connectors/tracker-server.ts'
import { seeded } from '../../test/random.ts'
import { launch, type Server, settled } from '../../test/server.ts'
import { note, print, table } from '../output.ts'
import { readResidentMemory, waitForRun } from './wait-for-run.ts'

/** The memory target is defined for 100,000 documents. */
const ISSUES = { cloud: 100_000, server: 20_000 }
const CHANGED = 200
const COMMENTS = 3
const WORDS = 120
const VOCABULARY = 50_000
const SETTLE_TIMEOUT_MS = 1_200_000
const LOOK_EVERY_MS = 100

interface TrackerRun {
  seconds: number
  /** Issues whose fields the tracker sent. */
  read: number
  requests: number
  /** Documents that the indexer wrote. */
  indexed: number
  peakBytes: number
  /** The size of the index's segments at the end. */
  indexBytes: number
}

export async function benchTracker(): Promise<void> {
  const rows: (string | number)[][] = []
  for (const kind of ['cloud', 'server'] as const) {
    note(`tracker: ${ISSUES[kind]} issues of a ${kind}`)
    rows.push(...(await measure(kind, ISSUES[kind])))
  }
  print(
    table(
      ['tracker', 's', 'issues/s', 'requests', 'issues read', 'documents indexed', 'MB above idle', 'MB of the index'],
      rows,
    ),
  )
}

async function measure(kind: 'cloud' | 'server', issues: number): Promise<(string | number)[][]> {
  const tracker = await openTracker(kind, { isKept: true })
  for (let at = 1; at <= issues; at += 1) tracker.put(`BIG-${at}`, contentOf(at, 0))
  const env = { LOG_LEVEL: 'warn', EGRESS_ALLOW: '127.0.0.1', CONNECTOR_REQUESTS_PER_SECOND: '0' }
  const server = await launch({ env })
  try {
    const idle = await readResidentMemory(server.pid)
    const { ok } = createSetup(createRequester(server))
    const credential_json = { jira_api_token: 'token', ...(kind === 'cloud' && { jira_user_email: EMAIL }) }
    const credential = await ok('POST', '/manage/credential', {
      body: { credential_json, admin_public: true, source: 'ticket_tracker' },
    })
    const more = {
      source: 'ticket_tracker',
      connector_specific_config: { tracker_base_url: tracker.url },
      refresh_freq: null,
      prune_freq: null,
    }
    const { id: connector_id } = await ok('POST', '/manage/admin/connector', { body: connectorOf('Tracker', more) })
    let pair = 0
    const first = await timed(server, tracker, 1, async () => {
      const path = `/manage/admin/connector/${connector_id}/credential/${credential.id}`
      pair = (await ok('PUT', path, { body: {} })).data
      return pair
    })
    const again = (run: number) =>
      timed(server, tracker, run, async () => {
        await ok('POST', '/manage/admin/connector/run-once', { body: { connector_id } })
        return pair
      })
    for (let at = 1; at <= CHANGED; at += 1) tracker.put(`BIG-${at * 97}`, contentOf(at * 97, Date.now()))
    const second = await again(2)
    const third = await again(3)
    const { num_docs_indexed } = await ok('GET', `/manage/admin/cc-pair/${pair}`)
    if (num_docs_indexed !== issues) throw new Error(`only ${num_docs_indexed} of ${issues} issues are documents`)
    if (second.indexed !== CHANGED) throw new Error(`${second.indexed} documents were indexed for ${CHANGED} changes`)
    if (third.indexed !== 0) throw new Error(`${third.indexed} documents were indexed for no change`)
    return [
      rowOf(`${kind}: ${issues} issues`, first, idle),
      rowOf(`${kind}: ${CHANGED} changed`, second, idle),
      rowOf(`${kind}: none changed, the same five minutes`, third, idle),
    ]
  } finally {
    await server.stop()
    tracker.close()
  }
}

const rowOf = (name: string, { seconds, read, requests, indexed, peakBytes, indexBytes }: TrackerRun, idle: number) => [
  name,
  seconds.toFixed(1),
  Math.round(read / seconds),
  requests,
  read,
  indexed,
  Math.round((peakBytes - idle) / 1e6),
  Math.round(indexBytes / 1e6),
]

/** From the start of the run until the last document is searchable. */
async function timed(
  server: Server,
  tracker: TrackerServer,
  run: number,
  begin: () => Promise<number>,
): Promise<TrackerRun> {
  const before = { read: tracker.read.length, asked: tracker.asked.length, indexed: await indexedBy(server) }
  const started = performance.now()
  const peakBytes = await waitForRun(server, { pair: await begin(), run, everyMs: LOOK_EVERY_MS })
  await settled(server, SETTLE_TIMEOUT_MS)
  return {
    seconds: (performance.now() - started) / 1_000,
    read: tracker.read.length - before.read,
    requests: tracker.asked.length - before.asked,
    indexed: (await indexedBy(server)) - before.indexed,
    peakBytes: Math.max(peakBytes, await readResidentMemory(server.pid)),
    indexBytes: await metric(server, 'pharos_index_memory_bytes'),
  }
}

const indexedBy = (server: Server): Promise<number> => metric(server, 'pharos_indexed_documents_total')

async function metric(server: Server, name: string): Promise<number> {
  const headers = { authorization: `Bearer ${server.key}` }
  const text = await (await fetch(`${server.url}/metrics`, { headers })).text()
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'm').exec(text)?.[1] ?? 0)
}

/** Word frequencies follow the order of the word list, as in real texts. */
function contentOf(at: number, changed: number): Record<string, unknown> {
  const random = seeded(at)
  const words = () => Array.from({ length: WORDS }, () => `w${Math.floor(VOCABULARY ** random())}`).join(' ')
  const document = (text: string) => ({
    type: 'doc',
    version: 1,
    content: [{ type: 'paragraph', content: [{ type: 'text', text }] }],
  })
  const comments = Array.from({ length: COMMENTS }, () => ({ author: {}, body: document(words()) }))
  return {
    summary: `Issue number ${at}${changed === 0 ? '' : ' changed'}`,
    description: document(words()),
    comment: { comments, total: COMMENTS, maxResults: COMMENTS, startAt: 0 },
    ...(changed > 0 && { updated: new Date(changed).toISOString() }),
  }
}
