// A follower of the record in the folder, in a process of its own: `follow.ts <dir> <fill|hold|find> <word>`.
// fill: until the index has everything, then a clean stop. hold: the same, but nothing new reaches the disk, and it
// waits to be killed. find: until a search finds the last document, and says how long that took from its start.
import { join } from 'node:path'
import { accessOf } from '../../src/domain/access.ts'
import { createIndexer } from '../../src/ingestion/indexer.ts'
import { openEmbeddedGenerations } from '../../src/search-index/embedded-generations.ts'
import { lastSequence } from '../../src/store/documents.ts'
import { getRecord } from '../../src/store/record.ts'
import { openSqlite } from '../../src/store/sqlite.ts'

const [dir = '', mode, word = ''] = process.argv.slice(2)
const logger = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}
const IN_MEMORY = { memoryEntries: 1 << 30, flushAfterMs: 1 << 30 }

const db = await openSqlite({ path: join(dir, 'pharos.db'), failpoint: null, onFatal })
const { id, last } = await getRecord(db)
const record = { id, last, renew: () => Promise.reject(new Error('the record has not gone back')) }
const options = { wanted: null, dir: join(dir, 'index'), record, logger, onFatal }
const generations = await openEmbeddedGenerations(mode === 'hold' ? { ...options, ...IN_MEMORY } : options)
const openMs = performance.now()
const { position } = await generations.serving.stats()
const indexer = await createIndexer({ db, searchIndex: generations.serving, logger, now: Date.now, failpoint() {} })
const stop = new AbortController()
const running = indexer.run(stop.signal)
await indexer.waitUntil(await lastSequence(db), stop.signal)
const query = { text: word, access: accessOf({ email: null, groups: [] }, [1]), filters: {}, offset: 0, limit: 1 }
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
