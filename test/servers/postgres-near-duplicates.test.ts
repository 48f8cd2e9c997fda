// Signatures and groups of near duplicates over PostgreSQL.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createNearDuplicates } from '../../src/ingestion/near-duplicates/near-duplicates.ts'
import type { Database } from '../../src/store/database/database.ts'
import { acceptDocuments } from '../../src/store/documents/accept-documents.ts'
import { deleteDocument } from '../../src/store/documents/trash.ts'
import { listNearDuplicateGroups } from '../../src/store/near-duplicates/report.ts'
import { countUncompared, findGroupedSignatures, sweepSignatures } from '../../src/store/near-duplicates/signatures.ts'
import { contentOf } from '../document-content.ts'
import { waitFor } from '../server.ts'
import { open } from './open-postgres.ts'
import { onPostgres } from './start-postgres.ts'

const logger = { debug() {}, info() {}, warn() {}, error: assert.fail }
const caughtUp = {
  progress: () => ({ accepted_seq: 1, indexed_seq: 1, pending: 0, waiting_for: null }),
  waitUntil: () => assert.fail('nothing is pending'),
}
const textOf = (name: string, count = 200) => Array.from({ length: count }, (_, at) => `${name}${at}`).join(' ')

await onPostgres((server) => {
  let db: Database
  before(async () => {
    db = await open(await server.createDatabase())
  })
  after(async () => {
    await db.close()
  })
  const accept = (texts: Record<string, string>) =>
    acceptDocuments(
      db,
      'all',
      Object.entries(texts).map(([id, text]) => ({
        content: { ...contentOf(id, text), title: 'Page' },
        ccPairId: 1,
        requestId: null,
      })),
      1,
    )
  const compare = async () => {
    const stop = new AbortController()
    const running = createNearDuplicates({ db, logger, indexer: caughtUp, pauseMs: 60_000 }).run(stop.signal)
    await waitFor(async () => (await countUncompared(db)) === 0, 'the comparison of all documents')
    stop.abort()
    await running
  }
  const listed = async (filter: { source?: string; ccPairId?: number } = {}, before: number | null = null) => {
    const page = { before, limit: 10, members: 2 }
    const groups = await listNearDuplicateGroups(db, { source: null, ccPairId: null, ...filter }, page)
    return groups.map((it) => [it.size, it.documents.map((one) => one.document_id)])
  }

  test('documents are grouped, groups are joined, and filters and pages select them', async () => {
    await accept({ a: textOf('x'), b: `${textOf('x')} more`, c: textOf('y') })
    await accept({ f: textOf('p', 400), f2: textOf('p', 401), g: textOf('p', 490), g2: textOf('p', 491) })
    await compare()
    const before = [
      [2, ['g2', 'g']],
      [2, ['f2', 'f']],
      [2, ['b', 'a']],
    ]
    assert.deepEqual(await listed(), before)
    await accept({ h: textOf('p', 443), d: textOf('y') })
    await compare()
    const all = [
      [2, ['d', 'c']],
      [5, ['h', 'g2']],
      [2, ['b', 'a']],
    ]
    assert.deepEqual(await listed(), all)
    assert.deepEqual(await listed({ source: 'test', ccPairId: 1 }), all)
    assert.deepEqual(await listed({ source: 'other' }), [])
    assert.deepEqual(await listed({ ccPairId: 99 }), [])
    assert.deepEqual(await listed({}, 1), [])
    assert.equal((await findGroupedSignatures(db, ['a', 'b', 'nothing'])).length, 2)
  })

  test('a new text, a deletion and a sweep leave no signature behind', async () => {
    await accept({ d: textOf('z') })
    const stored = await db.selectFrom('document').select('seq').where('id', '=', 'b').executeTakeFirstOrThrow()
    await deleteDocument(db, 'b', { now: 5, requestId: 'r', seq: stored.seq, deletedBy: 'somebody' })
    await compare()
    assert.deepEqual(await listed(), [[5, ['h', 'g2']]])
    await db.updateTable('document_signature').set({ document_id: 'gone' }).where('document_id', '=', 'f').execute()
    await sweepSignatures(db)
    const left = await db.selectFrom('document_signature').select('document_id').orderBy('document_id').execute()
    assert.deepEqual(
      left.map((it) => it.document_id),
      ['a', 'c', 'd', 'f2', 'g', 'g2', 'h'],
    )
  })
})
