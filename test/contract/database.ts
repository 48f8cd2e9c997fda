// The contract of every database driver, including the store's own statements on each of them.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accessForPerson } from '../../src/domain/access.ts'
import { OPERATOR } from '../../src/identity/keys/key-subject.ts'
import type { Database, SqlStatement } from '../../src/store/database/database.ts'
import { acceptDocuments } from '../../src/store/documents/accept-documents.ts'
import {
  countChanges,
  countIndexBacklog,
  findDocuments,
  lastChangeSeq,
  listChanges,
  listDueRetries,
} from '../../src/store/documents/documents.ts'
import { findReceipt, nextRetryAt, retryDocuments, writeReceipts } from '../../src/store/documents/receipts.ts'
import {
  deleteDocument,
  expireTrashedDocuments,
  findTrashedDocuments,
  listTrashedDocuments,
  purgeTrashedDocuments,
  restoreTrashedDocuments,
} from '../../src/store/documents/trash.ts'
import { getRecordIdentity, replaceRecordId } from '../../src/store/record/record-identity.ts'
import { addEgressRefusals, listEgressRefusals } from '../../src/store/settings/egress-refusals.ts'
import { insertConnector } from '../../src/store/sources/connectors.ts'
import {
  endPruneProtection,
  listPruneProtected,
  listPulledDocuments,
} from '../../src/store/sources/prune-candidates.ts'
import { contentOf } from '../document-content.ts'

/** `open` opens the same database each time; it is empty at first. */
export function databaseContract(name: string, open: () => Promise<Database>): void {
  describe(name, () => {
    let db: Database
    before(async () => {
      db = await open()
    })
    after(() => db.close())
    batches(() => db)
    transactions(() => db)
    answers(() => db)
    documents(() => db)
    refusals(() => db)

    test('written data survives a restart, and pending statements are finished before closing', async () => {
      const asked = db.commit([[insert('kept', 7)]])
      await db.close()
      assert.equal((await asked)[0]!.ok, true)
      db = await open()
      assert.equal(await numberOf(db, 'kept'), 7)
    })
  })
}

const insert = (name: string, value: unknown = 1): SqlStatement => ({
  sql: 'insert into sequence (name, value) values (?1, ?2)',
  parameters: [name, value],
})

async function numberOf(db: Database, name: string): Promise<number | undefined> {
  const row = await db.selectFrom('sequence').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

async function namesLike(db: Database, prefix: string): Promise<string[]> {
  const rows = await db.selectFrom('sequence').select('name').orderBy('name').execute()
  return rows.map((it) => it.name).filter((it) => it.startsWith(prefix))
}

function batches(db: () => Database): void {
  test('a failed item is rolled back without the others', async () => {
    const results = await db().commit([[insert('a1')], [insert('a2'), insert('a1')], [insert('a3')]])
    assert.deepEqual(
      results.map((it) => it.ok),
      [true, false, true],
    )
    assert.deepEqual(await namesLike(db(), 'a'), ['a1', 'a3'])
  })

  test('a failed item leaves no trace', async () => {
    const [result] = await db().commit([[insert('b1'), insert('b1')]])
    assert.equal(result!.ok, false)
    assert.deepEqual(await namesLike(db(), 'b'), [])
  })

  test('a later statement sees what an earlier one of its item wrote', async () => {
    const count = { sql: 'select count(*) as n from sequence where name = ?1', parameters: ['c1'] }
    const [result] = await db().commit([[insert('c1'), count]])
    assert.deepEqual(result, { ok: true, rows: [[], [{ n: 1 }]] })
  })

  test('a batch without items and an item without statements do nothing', async () => {
    assert.deepEqual(await db().commit([]), [])
    assert.deepEqual(await db().commit([[]]), [{ ok: true, rows: [] }])
  })

  test('concurrent batches keep their order, and each gets its own result', async () => {
    await db().commit([[insert('d', 0)]])
    const add = { sql: `update sequence set value = value + 1 where name = 'd' returning value`, parameters: [] }
    const results = await Promise.all(Array.from({ length: 300 }, () => db().commit([[add]])))
    const values = results.map(([result]) => result!.ok && result!.rows[0]![0]!.value)
    assert.deepEqual(
      values,
      Array.from({ length: 300 }, (_, at) => at + 1),
    )
  })

  test('a failed batch does not affect concurrent batches', async () => {
    const batches = Array.from({ length: 50 }, (_, at) => [[insert(at % 10 === 3 ? 'change' : `e${at}`)]])
    const results = await Promise.all(batches.map((it) => db().commit(it)))
    assert.deepEqual(
      results.map(([result], at) => (result!.ok ? -1 : at)).filter((it) => it >= 0),
      [3, 13, 23, 33, 43],
    )
    assert.equal((await namesLike(db(), 'e')).length, 45)
  })

  test('a statement that cannot be prepared fails every time and does not affect others', async () => {
    const wrong = { sql: 'select * from nowhere', parameters: [] }
    for (let time = 0; time < 2; time++) {
      const [first, second] = await db().commit([[wrong, insert(`never${time}`)], [insert(`f${time}`)]])
      assert.deepEqual([first!.ok, second!.ok], [false, true])
    }
  })

  test('a statement that was sent but not run works the next time', async () => {
    const late = { sql: 'insert into sequence (value, name) values (?1, ?2)', parameters: [1, 'late'] }
    const [failed] = await db().commit([[insert('a1'), late]])
    const [done] = await db().commit([[late]])
    assert.deepEqual([failed!.ok, done!.ok], [false, true])
  })
}

function transactions(db: () => Database): void {
  test('a transaction that throws is rolled back', async () => {
    const failing = db()
      .transaction()
      .execute(async (trx) => {
        await trx.insertInto('sequence').values({ name: 'g', value: 1 }).execute()
        throw new Error('changed my mind')
      })
    const meanwhile = db().commit([[insert('h')]])
    await assert.rejects(failing, /changed my mind/)
    await meanwhile
    assert.deepEqual([await numberOf(db(), 'g'), await numberOf(db(), 'h')], [undefined, 1])
  })

  test('a transaction sees its own writes before others do', async () => {
    await db()
      .transaction()
      .execute(async (trx) => {
        await trx.insertInto('sequence').values({ name: 'i', value: 1 }).execute()
        const inside = await trx.selectFrom('sequence').select('name').where('name', '=', 'i').execute()
        assert.deepEqual([inside.length, await numberOf(db(), 'i')], [1, undefined])
      })
    assert.equal(await numberOf(db(), 'i'), 1)
  })

  test('transactions are serialized and do not overwrite each other', async () => {
    await db().commit([[insert('j', 0)]])
    const add = () =>
      db()
        .transaction()
        .execute(async (trx) => {
          const { value } = await trx
            .selectFrom('sequence')
            .select('value')
            .where('name', '=', 'j')
            .executeTakeFirstOrThrow()
          await trx
            .updateTable('sequence')
            .set({ value: value + 1 })
            .where('name', '=', 'j')
            .execute()
        })
    await Promise.all(Array.from({ length: 20 }, add))
    assert.equal(await numberOf(db(), 'j'), 20)
  })
}

function answers(db: () => Database): void {
  test('aggregates are numbers, conditions are 0 or 1, and an absent value is null', async () => {
    await db().commit([[insert('k1', 2 ** 40), insert('k2', -3)]])
    const sql = `select count(*) as n, sum(value) as total, min(value) as least, avg(0) as none, max(name) as last,
      exists (select 1 from sequence where name = 'k1') as found, value > ?1 as large, (select 1 where 1 = 0) as absent
      from sequence where name in ('k1', 'k2') group by value order by value`
    const [result] = await db().commit([[{ sql, parameters: [0] }]])
    const rest = { n: 1, none: 0, found: 1, absent: null }
    assert.ok(result!.ok, String(!result!.ok && result!.error))
    assert.deepEqual(result!.rows[0], [
      { ...rest, total: -3, least: -3, last: 'k2', large: 0 },
      { ...rest, total: 2 ** 40, least: 2 ** 40, last: 'k1', large: 1 },
    ])
  })

  test('texts are sorted by their bytes', async () => {
    const names = ['-', '', 'B', 'a', 'ä', ' z', '😀', '\uffee'].map((it) => `by bytes ${it}`)
    await db().commit([names.map((it) => insert(it))])
    const byBytes = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    assert.deepEqual(await namesLike(db(), 'by bytes'), byBytes)
  })

  test('an update returns the number of changed rows', async () => {
    await db().commit([[insert('m1'), insert('m2')]])
    const some = ['m1', 'm2', 'm3']
    const updated = await db()
      .updateTable('sequence')
      .set({ value: 2 })
      .where('name', 'in', some)
      .executeTakeFirstOrThrow()
    const deleted = await db().deleteFrom('sequence').where('name', 'in', some).executeTakeFirstOrThrow()
    assert.deepEqual([updated.numUpdatedRows, deleted.numDeletedRows], [2n, 2n])
  })

  test('new ids continue after the initial rows', async () => {
    const connector = { source: 'test', input_type: 'load_state', access_type: 'public' } as const
    const config = { connector_specific_config: {}, refresh_freq: null, prune_freq: null, indexing_start: null }
    const id = await insertConnector(
      db(),
      OPERATOR,
      { name: 'first', groups: null, ...connector, ...config } as never,
      0,
    )
    assert.equal(id, 1)
    await assert.rejects(
      insertConnector(db(), OPERATOR, { name: 'first', groups: null, ...connector, ...config } as never, 0),
      {
        code: 'CONNECTOR_NAME_TAKEN',
      },
    )
  })
}

/** 2,000 characters of four bytes each, without repeated runs. */
export const LONGEST_ID = Array.from({ length: 2_000 }, (_, at) =>
  String.fromCodePoint(0x10000 + ((at * 40_503) % 60_000)),
).join('')

/** A scope that has pushed nothing and may read these cc-pairs. */
const readerOf = (pairs: number[]) => ({
  owner: 'nobody',
  pairs,
  access: accessForPerson({ email: null, groups: [] }, pairs),
})

function documents(db: () => Database): void {
  const push = async (id: string, text?: string, now = 1) => {
    const [result] = await acceptDocuments(
      db(),
      'all',
      [{ content: contentOf(id, text), ccPairId: 1, requestId: null }],
      now,
    )
    if (result instanceof Error) throw result
    return result!
  }
  const mark = (id: string, seq: number, error: string | null, retry_at: number | null) =>
    writeReceipts(db(), [
      { document_id: id, seq, indexed_at: 5, chunk_count: 1, attempts: error === null ? 0 : 1, error, retry_at },
    ])

  const seqOf = async (id: string) => (await findReceipt(db(), id))!.seq

  test('a document sent twice is stored once, and a changed one gets a new sequence number', async () => {
    const first = await push('doc')
    const again = await push('doc')
    const changed = await push('doc', 'other')
    assert.deepEqual([first.already_existed, again.already_existed, changed.already_existed], [false, true, true])
    assert.equal(again.seq, first.seq)
    assert.ok(changed.seq > first.seq)
    const changes = await listChanges(db(), first.seq - 1, 10, 1e6)
    assert.deepEqual(
      changes.map((it) => [it.id, it.seq, it.sections[0]!.text, it.cc_pair_ids]),
      [['doc', changed.seq, 'other', [1]]],
    )
    assert.ok((await lastChangeSeq(db())) >= changed.seq)
  })

  test('the record keeps its identity until a caller that knows it replaces it', async () => {
    const { id, last } = await getRecordIdentity(db())
    assert.match(id, /^[0-9a-f]{32}$/)
    assert.equal(last, await lastChangeSeq(db()))
    assert.equal(await replaceRecordId(db(), id, 'renewed'), 'renewed')
    assert.equal(await replaceRecordId(db(), id, 'too late'), 'renewed')
    assert.equal((await getRecordIdentity(db())).id, 'renewed')
  })

  test('changes are counted up to a position and in total', async () => {
    const { seq } = await push('counted')
    const before = await countChanges(db(), seq - 1)
    await push('counted later')
    assert.deepEqual(await countChanges(db(), seq), { done: before.done + 1, total: before.total + 1 })
    await push('counted', 'changed')
    assert.deepEqual(await countChanges(db(), seq), { done: before.done, total: before.total + 1 })
  })

  test('the longest id is stored and found', async () => {
    const { seq } = await push(LONGEST_ID)
    assert.equal((await push(LONGEST_ID)).already_existed, true)
    await mark(LONGEST_ID, seq, null, null)
    await mark(LONGEST_ID, seq, null, null)
    assert.equal((await findReceipt(db(), LONGEST_ID))?.cc_pairs[0]?.name, 'DefaultCCPair')
    assert.equal((await findDocuments(db(), [LONGEST_ID, 'nobody']))[0]!.id, LONGEST_ID)
  })

  test('a missing or forbidden cc-pair rejects only its document', async () => {
    const batch = [1, 99, 1].map((ccPairId, at) => ({ content: contentOf(`pair${at}`), ccPairId, requestId: null }))
    const codes = (results: unknown[]) => results.map((it) => (it instanceof Error && 'code' in it ? it.code : 'ok'))
    assert.deepEqual(codes(await acceptDocuments(db(), 'all', batch, 1)), ['ok', 'CC_PAIR_NOT_FOUND', 'ok'])
    const none = await acceptDocuments(db(), readerOf([]), batch.slice(0, 1), 1)
    const other = await acceptDocuments(db(), readerOf([2, 3]), batch.slice(0, 1), 1)
    assert.deepEqual([codes(none), codes(other)], [['CC_PAIR_NOT_FOUND'], ['CC_PAIR_NOT_FOUND']])
  })

  test('a deletion is a change, and the document is removed after its time in the trash', async () => {
    const { seq } = await push('trash')
    const deleted = await deleteDocument(db(), 'trash', { now: 10, requestId: null })
    assert.ok(deleted! > seq)
    assert.equal(await deleteDocument(db(), 'trash', { now: 11, requestId: null }), null)
    assert.equal(await findReceipt(db(), 'trash'), undefined)
    const [change] = await listChanges(db(), deleted! - 1, 1, 1e6)
    assert.deepEqual([change!.id, change!.isDeleted], ['trash', true])
    assert.equal(await purgeTrashedDocuments(db(), 11, deleted! - 1), 0)
    assert.equal(await purgeTrashedDocuments(db(), 11, deleted!), 1)
    assert.equal((await push('trash')).already_existed, false)
  })

  test('a document outside the scope is rejected, and one that the scope pushed or may read is written', async () => {
    const access = (email: string) => ({
      is_public: false,
      external_user_emails: [email],
      external_user_group_ids: [],
    })
    const version = (id: string, text: string, email: string, pushedBy: string) => ({
      content: { ...contentOf(id, text), external_access: access(email) },
      ccPairId: 1,
      requestId: null,
      pushedBy,
    })
    const scope = {
      owner: 'bob@example.com',
      pairs: [1],
      access: accessForPerson({ email: 'bob@example.com', groups: [] }, [1]),
    }
    await acceptDocuments(db(), 'all', [version('of ann', 'one', 'ann@example.com', 'ann@example.com')], 1)
    await acceptDocuments(db(), 'all', [version('for bob', 'one', 'Bob@example.com', 'ann@example.com')], 1)
    await acceptDocuments(db(), 'all', [version('by bob', 'one', 'ann@example.com', 'bob@example.com')], 1)
    const ids = ['of ann', 'for bob', 'by bob', 'new']
    const batch = [...ids, 'new'].map((id, at) => version(id, `two ${at}`, 'ann@example.com', 'bob@example.com'))
    const results = await acceptDocuments(db(), scope, batch, 2)
    assert.deepEqual(
      results.map((it) => (it instanceof Error && 'code' in it ? it.code : 'ok')),
      ['DOCUMENT_NOT_WRITABLE', 'ok', 'ok', 'ok', 'ok'],
    )
    const owners = await Promise.all(ids.map(async (id) => (await findReceipt(db(), id))?.pushed_by))
    assert.deepEqual(owners, ['ann@example.com', 'bob@example.com', 'bob@example.com', 'bob@example.com'])
  })

  test('restoring from the trash is a new change, and a document that a connector had read is kept', async () => {
    await push('back')
    await deleteDocument(db(), 'back', { now: 10, requestId: 'r', deletedBy: 'ann' })
    await db().updateTable('document').set({ from_ingestion_api: 0 }).where('id', '=', 'back').execute()
    const { seq, cc_pair_ids, deleted_by } = (await findTrashedDocuments(db(), 'all', ['back'])).get('back')!
    assert.deepEqual([cc_pair_ids, deleted_by], [[1], 'ann'])
    const restoring = { id: 'back', seq, cc_pair_ids }
    const who = { now: 11, requestId: 'r' }
    assert.deepEqual(await restoreTrashedDocuments(db(), [{ ...restoring, cc_pair_ids: [99] }], who), [null])
    const [restored] = await restoreTrashedDocuments(db(), [restoring], who)
    assert.ok(restored! > seq)
    assert.deepEqual(await restoreTrashedDocuments(db(), [restoring], who), [null])
    assert.equal((await listPulledDocuments(db(), 1)).has('back'), false)
    assert.deepEqual([...(await listPruneProtected(db(), 1))], ['back'])
    await endPruneProtection(db(), ['back'])
    assert.equal((await listPulledDocuments(db(), 1)).has('back'), true)
  })

  test('the trash can be filtered, and expired documents belong to no owner', async () => {
    const nothing = { source: null, title: null, deleted_by: null, from: null, until: null }
    for (const id of ['bin a', 'bin b']) {
      await push(id)
      await deleteDocument(db(), id, { now: 20, requestId: null, deletedBy: 'carl' })
    }
    const idsIn = async (filter: object, after: { deleted_at: number; seq: number } | null = null) =>
      (await listTrashedDocuments(db(), { owner: 'carl' }, { ...nothing, ...filter }, { after, limit: 10 })).map(
        (it) => it.document_id,
      )
    assert.deepEqual(await idsIn({}), ['bin b', 'bin a'])
    const { seq } = (await findTrashedDocuments(db(), 'all', ['bin b'])).get('bin b')!
    assert.deepEqual(await idsIn({}, { deleted_at: 20, seq }), ['bin a'])
    assert.deepEqual([await idsIn({ title: '%' }), await idsIn({ from: 21 }), await idsIn({ until: 20 })], [[], [], []])
    assert.deepEqual(await idsIn({ deleted_by: 'dora' }), [])
    assert.equal(await expireTrashedDocuments(db(), 'all', 'carl'), 0)
    assert.equal(await expireTrashedDocuments(db(), ['bin a', 'back'], null), 1)
    assert.deepEqual(await idsIn({}), ['bin b'])
  })

  test('a failed document is retried when its delay is over', async () => {
    const { seq } = await push('fails')
    await mark('fails', seq, 'no', 1_000)
    assert.equal(await nextRetryAt(db()), 1_000)
    assert.deepEqual(await listDueRetries(db(), 999, 10), [])
    const [retry] = await listDueRetries(db(), 1_000, 10)
    assert.deepEqual([retry!.id, retry!.attempts, retry!.receipt_seq], ['fails', 1, seq])
    await mark('fails', seq, null, null)
    assert.deepEqual([await listDueRetries(db(), 1_000, 10), await nextRetryAt(db())], [[], null])
  })

  test('failed documents can be retried by id, by cc-pair, or all at once', async () => {
    const failed = ['give up a', 'give up b', 'give up c']
    for (const id of failed) await mark(id, (await push(id)).seq, 'no', null)
    const { seq } = await push('give up d')
    await mark('give up d', seq, 'no', 9_000)
    await push('give up a', 'newer')
    const retries = async () => (await listDueRetries(db(), 1_000, 10)).map((it) => [it.id, it.attempts]).sort()
    assert.equal(await retryDocuments(db(), 'all', { document_ids: ['give up a', 'unknown'] }, 1_000), 0)
    assert.equal(await retryDocuments(db(), readerOf([]), 'all', 1_000), 0)
    assert.equal(await retryDocuments(db(), 'all', { cc_pair_id: 99 }, 1_000), 0)
    assert.equal(await retryDocuments(db(), readerOf([1]), { document_ids: ['give up b', 'unknown'] }, 1_000), 1)
    assert.deepEqual(await retries(), [['give up b', 1]])
    assert.equal(await retryDocuments(db(), 'all', { cc_pair_id: 1 }, 1_000), 2)
    assert.deepEqual(
      await retries(),
      ['give up b', 'give up c', 'give up d'].map((id) => [id, 1]),
    )
    assert.equal(await retryDocuments(db(), 'all', 'all', 1_000), 0)
    for (const [id] of await retries()) await mark(String(id), await seqOf(String(id)), null, null)
  })

  test('many failed documents are each retried and counted once', async () => {
    const ids = Array.from({ length: 1_201 }, (_, at) => `many ${at}`)
    const accepted = await Promise.all(ids.map((id) => push(id)))
    const marks = accepted.map(({ document_id, seq }) => ({ document_id, seq, error: 'no', retry_at: null }))
    await writeReceipts(
      db(),
      marks.map((it) => ({ ...it, indexed_at: null, chunk_count: null, attempts: 6 })),
    )
    assert.equal(await retryDocuments(db(), 'all', 'all', 2_000), ids.length)
    await writeReceipts(
      db(),
      marks.map((it) => ({ ...it, indexed_at: 1, chunk_count: 1, attempts: 0, error: null })),
    )
  })

  test('pending documents are counted by number and bytes', async () => {
    const start = await lastChangeSeq(db())
    assert.deepEqual(await countIndexBacklog(db(), start), { documents: 0, bytes: 0 })
    const added = [await push('wait a'), await push('wait b', 'more'), await push('wait b', 'more')]
    const bytes = added[0]!.addedBytes! + added[1]!.addedBytes!
    assert.equal(added[2]!.addedBytes, undefined)
    assert.deepEqual(await countIndexBacklog(db(), start), { documents: 2, bytes })
    assert.deepEqual(
      (await listChanges(db(), start, 10, 1e6)).map((it) => it.body_bytes),
      [added[0]!.addedBytes, added[1]!.addedBytes],
    )
  })

  test('marking an older version changes nothing', async () => {
    const { seq } = await push('marked')
    await mark('marked', seq, null, null)
    await mark('marked', seq - 1, 'late', null)
    assert.equal((await findReceipt(db(), 'marked'))!.error, null)
  })

  test('a follower that reads during concurrent writes misses no change', async () => {
    const start = await lastChangeSeq(db())
    const ids = Array.from({ length: 600 }, (_, at) => `follow${at}`)
    let isDone = false
    const writing = Promise.all(ids.map((id) => push(id))).finally(() => {
      isDone = true
    })
    const seen = new Set<string>()
    let position = start
    for (;;) {
      const wasDone = isDone
      const changes = await listChanges(db(), position, 50, 1e6)
      for (const it of changes) seen.add(it.id)
      position = changes.at(-1)?.seq ?? position
      await new Promise((resolve) => setImmediate(resolve))
      if (wasDone && changes.length === 0) break
    }
    await writing
    assert.deepEqual([...seen].sort(), ids.toSorted())
  })
}

function refusals(db: () => Database): void {
  const refusalOf = (host: string, time: number) => ({
    ...{ host, port: 80, rule: 'private' as const, profile: 'admin-target' as const },
    ...{ asker: { kind: 'tool' as const, id: null }, count: 2, first_time: time, last_time: time },
  })
  const kept = async () => (await db().selectFrom('egress_refusal').select('host').execute()).length

  test('refusals of the same kind are counted together, newest first', async () => {
    await addEgressRefusals(db(), [refusalOf('a.corp', 5), refusalOf('b.corp', 6)], 10)
    await addEgressRefusals(db(), [refusalOf('a.corp', 7)], 10)
    assert.deepEqual(
      (await listEgressRefusals(db())).map((it) => [it.host, it.count, it.first_time, it.last_time, it.asker]),
      [
        ['a.corp', 4, 5, 7, { kind: 'tool', id: null }],
        ['b.corp', 2, 6, 6, { kind: 'tool', id: null }],
      ],
    )
  })

  test('a thousand refusals are kept, for at most 30 days', async () => {
    await addEgressRefusals(
      db(),
      Array.from({ length: 1_100 }, (_, at) => refusalOf(`h${at}.corp`, 100 + at)),
      2_000,
    )
    assert.equal(await kept(), 1_000)
    assert.equal((await listEgressRefusals(db())).at(-1)?.host, 'h100.corp')
    await addEgressRefusals(db(), [], 1_150 + 30 * 86_400_000)
    assert.equal(await kept(), 50)
  })
}
