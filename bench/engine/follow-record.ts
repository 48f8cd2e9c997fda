// Follows the record in the folder in its own process: `follow-record.ts <dir> <fill|hold|find> <word>`. `fill` runs until the
// index is complete and stops cleanly. `hold` does the same but keeps new changes in memory and waits to be killed.
// `find` runs until a search finds the last document and prints the time since the start.
import { join } from 'node:path'
import { accessForPerson } from '../../src/domain/access.ts'
import { createIndexer } from '../../src/ingestion/index/indexer.ts'
import { openEmbeddedGenerations } from '../../src/search-index/embedded-generations/embedded-generations.ts'
import { lastChangeSeq } from '../../src/store/documents/documents.ts'
import { getRecordIdentity } from '../../src/store/record/record-identity.ts'
import { openSqlite } from '../../src/store/sqlite/open-sqlite.ts'

const [dir = '', mode, word = ''] = process.argv.slice(2)
const logger = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}
const IN_MEMORY = { memoryPassages: 1 << 30, flushAfterMs: 1 << 30 }

const db = await openSqlite({ path: join(dir, 'pharos.db'), failpoint: null, onFatal })
const { id, last } = await getRecordIdentity(db)
const record = { id, last }
const options = { configuredModel: null, dir: join(dir, 'index'), record, logger, onFatal }
const generations = await openEmbeddedGenerations(mode === 'hold' ? { ...options, ...IN_MEMORY } : options)
const openMs = performance.now()
const { position } = await generations.serving.stats()
const indexer = await createIndexer({ db, searchIndex: generations.serving, logger, now: Date.now, failpoint() {} })
const stop = new AbortController()
const running = indexer.run(stop.signal)
await indexer.waitUntil(await lastChangeSeq(db), stop.signal)
const query = {
  text: word,
  access: accessForPerson({ email: null, groups: [] }, [1]),
  filters: {},
  offset: 0,
  limit: 1,
}
const { total } = await generations.serving.search(query)
// `performance.now` counts from the start of the process.
const foundMs = performance.now()
const { user, system } = process.cpuUsage()
const cpuMs = (user + system) / 1_000
process.stdout.write(`${JSON.stringify({ total, openMs, foundMs, cpuMs, lost: last - position })}\n`)
if (mode === 'hold') await new Promise((resolve) => setTimeout(resolve, 1 << 30))
stop.abort()
await running
await generations.close()
await db.close()
