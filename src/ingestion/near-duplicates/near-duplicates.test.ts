import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { contentOf } from '../../../test/document-content.ts'
import type { Database } from '../../store/database/database.ts'
import { acceptDocuments } from '../../store/documents/accept-documents.ts'
import { setDocumentHidden } from '../../store/documents/hidden.ts'
import { deleteDocument } from '../../store/documents/trash.ts'
import { listNearDuplicateGroups } from '../../store/near-duplicates/report.ts'
import { countUncompared } from '../../store/near-duplicates/signatures.ts'
import { openSqlite } from '../../store/sqlite/open-sqlite.ts'
import { createNearDuplicates } from './near-duplicates.ts'
import { waitForCaughtUp } from './wait-for-caught-up.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-near-'))
const db = await openSqlite({ path: join(folder, 'record.db'), failpoint: null, onFatal: assert.fail })
after(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})
const quiet = { debug() {}, info() {}, warn() {}, error: assert.fail }

const progressOf = (pending: number) => ({ accepted_seq: 1, indexed_seq: 1 - pending, pending, waiting_for: null })
const caughtUp = { progress: () => progressOf(0), waitUntil: () => assert.fail('nothing is pending') }

/** Returns the number of commits. */
async function compare(used: Database = db, isDone?: (commits: number) => boolean): Promise<number> {
  const stop = new AbortController()
  let commits = 0
  const commit: Database['commit'] = async (items) => {
    const results = await used.commit(items)
    commits++
    if (isDone?.(commits)) stop.abort()
    return results
  }
  const counting = new Proxy(used, {
    get(target, name) {
      if (name === 'commit') return commit
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const running = createNearDuplicates({ db: counting, logger: quiet, indexer: caughtUp, pauseMs: 60_000 }).run(
    stop.signal,
  )
  const { promise, resolve } = Promise.withResolvers<void>()
  const poll = async (): Promise<void> => {
    if (stop.signal.aborted || (isDone === undefined && (await countUncompared(db)) === 0)) return resolve()
    setImmediate(() => void poll())
  }
  void poll()
  await promise
  stop.abort()
  await running
  return commits
}

const textOf = (name: string, count = 200) => Array.from({ length: count }, (_, at) => `${name}${at}`).join(' ')
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
const listed = async (filter: { source?: string; ccPairId?: number } = {}) =>
  (
    await listNearDuplicateGroups(
      db,
      { source: null, ccPairId: null, ...filter },
      { before: null, limit: 100, members: 100 },
    )
  ).map((it) => [it.size, it.documents.map((one) => one.document_id).sort()] as const)

test('documents of one batch and of different batches are grouped', async () => {
  await accept({ a: textOf('x'), b: `${textOf('x')} more`, c: textOf('y') })
  await compare()
  assert.deepEqual(await listed(), [[2, ['a', 'b']]])
  await accept({ d: textOf('y'), e: `new ${textOf('x')}` })
  await compare()
  assert.deepEqual(await listed(), [
    [2, ['c', 'd']],
    [3, ['a', 'b', 'e']],
  ])
  assert.deepEqual((await listed({ source: 'test', ccPairId: 1 })).length, 2)
  assert.deepEqual(await listed({ source: 'other' }), [])
  assert.deepEqual(await listed({ ccPairId: 99 }), [])
})

test('pages of groups follow each other', async () => {
  const page = (before: number | null) =>
    listNearDuplicateGroups(db, { source: null, ccPairId: null }, { before, limit: 1, members: 1 })
  const [first] = await page(null)
  assert.deepEqual(
    first?.documents.map((it) => it.document_id),
    ['d'],
  )
  const [second] = await page(first?.group_id ?? null)
  assert.equal(second?.size, 3)
  assert.deepEqual(await page(second?.group_id ?? null), [])
})

test('a document with another text leaves its group', async () => {
  await accept({ d: textOf('z') })
  await compare()
  assert.deepEqual(await listed(), [[3, ['a', 'b', 'e']]])
})

test('a text that is like two groups makes one of them', async () => {
  await accept({ f: textOf('p', 400), f2: textOf('p', 401), g: textOf('p', 490), g2: textOf('p', 491) })
  await compare()
  assert.deepEqual((await listed()).slice(0, 2), [
    [2, ['g', 'g2']],
    [2, ['f', 'f2']],
  ])
  await accept({ h: textOf('p', 443) })
  await compare()
  assert.deepEqual((await listed())[0], [5, ['f', 'f2', 'g', 'g2', 'h']])
  assert.equal((await listed()).length, 2)
})

test('a hidden document does not count, and counts again when it is shown', async () => {
  const hide = (isHidden: boolean) => setDocumentHidden(db, 'b', { isHidden, now: 2, requestId: 'r' })
  await hide(true)
  assert.equal((await listed()).at(-1)?.[0], 2)
  await compare()
  assert.deepEqual((await listed()).at(-1), [2, ['a', 'e']])
  await hide(false)
  await compare()
  assert.deepEqual((await listed()).at(-1), [3, ['a', 'b', 'e']])
})

test('a deleted document leaves neither signature nor band', async () => {
  const stored = await db.selectFrom('document').select('seq').where('id', '=', 'e').executeTakeFirstOrThrow()
  await deleteDocument(db, 'e', { now: 5, requestId: 'r', seq: stored.seq, deletedBy: 'somebody' })
  await compare()
  for (const table of ['document_signature', 'signature_band'] as const)
    assert.deepEqual(await db.selectFrom(table).select('document_id').where('document_id', '=', 'e').execute(), [])
})

test('documents of before are compared, also after a stop in the middle, and then nothing is written', async () => {
  await accept(Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`n${at}`, textOf(`n${at % 125}_`, 60)])))
  await compare()
  const expected = await listed()
  await db.deleteFrom('document_signature').execute()
  await db.deleteFrom('signature_band').execute()
  await db.updateTable('sequence').set({ value: 0 }).where('name', '=', 'compared').execute()
  await compare(db, (commits) => commits === 1)
  assert.ok((await countUncompared(db)) > 200)
  await compare()
  const sorted = (groups: typeof expected) => groups.map((it) => it[1].join()).sort()
  assert.deepEqual(sorted(await listed()), sorted(expected))
  assert.equal(await compare(), 0)
})

test('documents that wait for the index come first', async () => {
  await accept({ q: textOf('q') })
  let [newest, indexed] = [7, 6]
  const asked: number[] = []
  const indexer = {
    progress: () => ({ ...progressOf(newest - indexed), accepted_seq: newest, indexed_seq: indexed }),
    async waitUntil(seq: number) {
      asked.push(seq)
      indexed = seq
      // Another document is accepted meanwhile.
      if (seq === 7) newest = 8
      return true
    },
  }
  const stop = new AbortController()
  const written = Promise.withResolvers<void>()
  const watched = new Proxy(db, {
    get(target, name) {
      assert.equal(indexed, 8, `${String(name)} is used too early`)
      if (name === 'commit') written.resolve()
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const running = createNearDuplicates({ db: watched, logger: quiet, indexer, pauseMs: 60_000 }).run(stop.signal)
  await written.promise
  stop.abort()
  await running
  assert.deepEqual(asked, [7, 8])
})

test('an index that stays behind does not keep the comparison waiting for good', async () => {
  const indexer = {
    progress: () => progressOf(1),
    waitUntil: (_: number, signal: AbortSignal) =>
      new Promise<boolean>((resolve) => signal.addEventListener('abort', () => resolve(false), { once: true })),
  }
  await waitForCaughtUp(indexer, { maxMs: 1, signal: new AbortController().signal })
  await waitForCaughtUp(indexer, { maxMs: 60_000, signal: AbortSignal.timeout(1) })
})
