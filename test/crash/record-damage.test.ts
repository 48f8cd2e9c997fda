// Damaged pages of the database: the service reports them to every caller and serves the rest.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { parallel } from '../parallel.ts'
import { chooseSeed, seeded } from '../random.ts'
import { type Server, settled, startServer, waitFor } from '../server.ts'

const WAY_OUT = /The database is damaged: .*pharos restore FILE --replace/
/** A start reads the newest 200. */
const DOCUMENTS = 240
const IDS = Array.from({ length: DOCUMENTS }, (_, at) => `doc-${at}`)

/** Stopped, so that one file contains everything. */
async function createRecordWithDocuments(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pharos-damage-'))
  after(() => rmSync(dataDir, { recursive: true, force: true }))
  const server = await startServer({ dataDir })
  await parallel(IDS, 8, async (id) => assert.equal((await push(server, id)).status, 200))
  await settled(server)
  await server.stop()
  return dataDir
}

const push = ({ api }: Server, id: string) =>
  api('POST', '/service-api/ingestion', {
    document: {
      id,
      semantic_identifier: id,
      sections: [{ text: `heliotrope ${id} ${'word '.repeat(1_200)}` }],
      metadata: {},
    },
  })

const ready = async ({ api }: Server) => {
  const { status, body } = await api('GET', '/health/ready')
  return { status, ...(body as { message: string; data: { record: { state: string; reason: string | null } } }) }
}

const found = async ({ api }: Server, query: string) =>
  ((await api('POST', '/search', { query })).body as { total: number }).total

/** The offset of an overflow page of an early document, which begins with the number of the next page. */
function restOf(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true })
  const { at } = db
    .prepare("SELECT min(pgoffset) AS at FROM dbstat WHERE name = 'document' AND pagetype = 'overflow'")
    .get() as { at: number }
  db.close()
  return at
}

function flip(path: string, offset: number): void {
  const file = readFileSync(path)
  file[offset]! ^= 0x40
  writeFileSync(path, file)
}

test('a flipped bit in a page is detected before it is read, and undamaged data is served', async () => {
  const dataDir = await createRecordWithDocuments()
  const path = join(dataDir, 'pharos.db')
  flip(path, restOf(path))
  const server = await startServer({ dataDir })
  const { message, data } = await waitFor(async () => {
    const answer = await ready(server)
    return answer.status === 503 && answer
  }, 'a service that reports the damage')
  assert.match(message, WAY_OUT)
  assert.equal(data.record.state, 'damaged')
  assert.match(data.record.reason!, WAY_OUT)
  assert.match(server.output(), /"level":50,.*The database is damaged/)
  assert.equal((await server.api('GET', '/health')).status, 200)
  assert.equal(await found(server, `"${IDS.at(-1)}"`), 1)
  // Undamaged pages accept writes and damaged ones refuse them; neither ends the program.
  const statuses = new Set<number>()
  for (const id of IDS.slice(0, 40)) statuses.add((await push(server, id)).status)
  assert.ok(
    [...statuses].every((it) => it === 200 || it === 503),
    `${[...statuses]}`,
  )
  assert.ok(statuses.has(200) && statuses.has(503), `${[...statuses]}`)
  const refused = await server.api('GET', '/health/ready')
  assert.match(String(refused.headers['retry-after']), /^\d+$/)
})

test('40 KB of garbage in the middle of the file: the start fails or the service is not ready, each with the remedy', async (t) => {
  const random = seeded(chooseSeed((line) => t.diagnostic(line)))
  const dataDir = await createRecordWithDocuments()
  const path = join(dataDir, 'pharos.db')
  const file = readFileSync(path)
  const middle = Math.floor(file.length / 8_192) * 4_096
  for (let at = 0; at < 40_960 && middle + at < file.length; at++) file[middle + at] = random.below(256)
  writeFileSync(path, file)
  const server = await startServer({ dataDir }).catch((error: Error) => error)
  if (server instanceof Error) return assert.match(server.message, WAY_OUT)
  await waitFor(async () => (await ready(server)).status === 503, 'a service that reports the damage')
  assert.match((await ready(server)).message, WAY_OUT)
  assert.equal((await server.api('GET', '/health')).status, 200)
})

test('an intact database is not reported as damaged', async () => {
  const dataDir = await createRecordWithDocuments()
  const server = await startServer({ dataDir, env: { LOG_LEVEL: 'debug' } })
  await waitFor(() => /"state":"sound"/.test(server.output()), 'a check of the whole file')
  assert.deepEqual((await ready(server)).data.record, { state: 'ok', reason: null })
})
