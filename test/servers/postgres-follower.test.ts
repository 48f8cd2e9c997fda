// Invariant 1 with concurrent writers: the follower sees every change, in the order of the sequence numbers.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { createIndexer } from '../../src/ingestion/index/indexer.ts'
import type { SearchIndex } from '../../src/search-index/search-index.ts'
import type { Database, Queryable } from '../../src/store/database/database.ts'
import { acceptDocuments } from '../../src/store/documents/accept-documents.ts'
import { lastChangeSeq } from '../../src/store/documents/documents.ts'
import { deleteDocument } from '../../src/store/documents/trash.ts'
import { contentOf } from '../document-content.ts'
import { waitFor } from '../server.ts'
import { open, quiet } from './open-postgres.ts'
import { onPostgres, type Postgres } from './start-postgres.ts'

await onPostgres((server) => {
  test('a change in an open transaction is not skipped: later ones wait for its end', async () => {
    const { writer, other, follower } = await three(server)
    let later: Promise<number> = Promise.resolve(0)
    let seqOfHeld = 0
    await writer.transaction().execute(async (trx) => {
      seqOfHeld = await writeHeld(trx)
      later = push(other, 'later')
      await waitFor(() => isWaiting(server), 'the later one to wait')
      await follower.lookAgain()
      assert.deepEqual(follower.applied, [])
      assert.ok(follower.position() < seqOfHeld)
    })
    await follower.reach(await later)
    assert.deepEqual(follower.applied, ['held', 'later'])
    assert.ok(seqOfHeld < (await later))
  })

  test('a rolled back transaction leaves no gap in the sequence', async () => {
    const { writer, other, follower } = await three(server)
    let later: Promise<number> = Promise.resolve(0)
    const undone = writer.transaction().execute(async (trx) => {
      await writeHeld(trx)
      later = push(other, 'later')
      await waitFor(() => isWaiting(server), 'the later one to wait')
      throw new Error('undone')
    })
    await assert.rejects(undone, /undone/)
    await follower.reach(await later)
    assert.deepEqual(follower.applied, ['later'])
  })

  test('a program that hangs in a transaction delays the others only for a short time', async () => {
    const { writer, other, follower } = await three(server)
    const { rows } = await sql<{
      it: string
    }>`select current_setting('idle_in_transaction_session_timeout') as it`.execute(writer)
    assert.equal(rows[0]!.it, '10s')
    const hanging = writer.transaction().execute(async (trx) => {
      await sql`set idle_in_transaction_session_timeout = 300`.execute(trx)
      await writeHeld(trx)
      await follower.reach(await push(other, 'later'))
    })
    await assert.rejects(hanging, { code: 'STORE_UNAVAILABLE' })
    assert.deepEqual(follower.applied, ['later'])
  })

  test('a follower misses no change of three concurrent programs', async () => {
    const { url, writer, other, follower } = await three(server)
    const third = await opened(url)
    const last: number[] = []
    const write = async (db: Database, at: number) => {
      const id = `doc${at % 100}`
      const seq =
        at % 7 === 6 ? await deleteDocument(db, id, { now: at, requestId: null }) : await push(db, id, `text ${at}`)
      last.push(seq ?? 0)
    }
    await Promise.all(
      [writer, other, third].map(async (db, which) => {
        for (let round = 0; round < 20; round++) {
          await Promise.all(Array.from({ length: 20 }, (_, at) => write(db, (round * 20 + at) * 3 + which)))
        }
      }),
    )
    await follower.reach(Math.max(...last))
    const living = await writer.selectFrom('document').select('id').where('deleted_at', 'is', null).execute()
    assert.deepEqual([...follower.living].sort(), living.map((it) => it.id).sort())
    assert.deepEqual(
      follower.positions,
      follower.positions.toSorted((a, b) => a - b),
    )
  })

  test('writes of other processes are announced, own ones are not, and a server crash is survived', async () => {
    const url = await server.createDatabase()
    const [here, there] = [await opened(url), await opened(url)]
    const [heardHere, heardThere] = [listen(here), listen(there)]
    await waitFor(() => heardHere() === 1 && heardThere() === 1, 'the first look')
    await push(there, 'there')
    await waitFor(() => heardHere() === 2, 'word of the change')
    await push(here, 'here')
    await waitFor(() => heardThere() === 2, 'word of the change')
    await push(there, 'there', 'again')
    await waitFor(() => heardHere() === 3, 'word of the next change')
    assert.equal(heardThere(), 2)
    await server.kill()
    await server.start()
    await waitFor(() => heardHere() === 4, 'a look after the crash')
    await waitFor(() => push(there, 'there', 'after').then(Boolean, () => false), 'a write after the crash')
    await waitFor(() => heardHere() > 4, 'word of a change after the crash')
  })
})

async function opened(url: string): Promise<Database> {
  const db = await open(url)
  after(() => db.close())
  return db
}

async function three(server: Postgres) {
  const url = await server.createDatabase()
  const [writer, other, reader] = [await opened(url), await opened(url), await opened(url)]
  return { url, writer, other, follower: await follow(reader) }
}

function listen(db: Database): () => number {
  let heard = 0
  db.onChange!(() => heard++)
  return () => heard
}

async function push(db: Database, id: string, text = 'text'): Promise<number> {
  const [result] = await acceptDocuments(db, 'all', [{ content: contentOf(id, text), ccPairId: 1, requestId: null }], 1)
  if (result instanceof Error) throw result
  return result!.seq
}

/** The steps of `acceptDocuments`. */
async function writeHeld(trx: Queryable): Promise<number> {
  await sql`update sequence set value = value + 1 where name = 'change'`.execute(trx)
  const seq = await lastChangeSeq(trx)
  await sql`insert into document (id, seq, version, content_hash, semantic_identifier, source, metadata, primary_owners,
    secondary_owners, from_ingestion_api, accepted_at, body_bytes, sections)
    values ('held', ${seq}, 1, '', '', 'test', '{}', '[]', '[]', 1, 1, 2, '[]')`.execute(trx)
  return seq
}

async function isWaiting(server: Postgres): Promise<boolean> {
  const rows = await server.query(`select 1 from pg_stat_activity where wait_event_type = 'Lock'`)
  return rows.length > 0
}

/** The real follower with an index that only records its calls. */
async function follow(db: Database) {
  const applied: string[] = []
  const positions = [0]
  const living = new Set<string>()
  const apply: SearchIndex['apply'] = async ({ upserts, deletes, position }) => {
    for (const id of deletes) living.delete(id)
    for (const { document_id: id } of upserts) living.add(id)
    applied.push(...deletes, ...upserts.map((it) => it.document_id))
    positions.push(position)
  }
  const searchIndex = { apply, stats: async () => ({ documents: 0, chunks: 0, position: 0 }) } as unknown as SearchIndex
  const indexer = await createIndexer({ db, searchIndex, logger: quiet, now: () => 1, failpoint: () => {} })
  const stop = new AbortController()
  db.onChange!(() => indexer.wake(0))
  const running = indexer.run(stop.signal)
  after(async () => {
    stop.abort()
    await running
  })
  return {
    applied,
    positions,
    living,
    position: () => indexer.progress().indexed_seq,
    async reach(seq: number) {
      assert.ok(await indexer.waitUntil(seq, AbortSignal.timeout(10_000)), `change ${seq} was not applied`)
    },
    /** Long enough for one poll. */
    async lookAgain() {
      indexer.wake(0)
      await delay(50)
    },
  }
}
