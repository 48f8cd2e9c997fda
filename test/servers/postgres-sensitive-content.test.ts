// Sensitive content over PostgreSQL.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '../../src/store/database/database.ts'
import { acceptDocuments } from '../../src/store/documents/accept-documents.ts'
import { findChange } from '../../src/store/documents/documents.ts'
import { findReceipt } from '../../src/store/documents/receipts.ts'
import { purgeTrashedDocuments } from '../../src/store/documents/trash.ts'
import { listUnsearchedDocuments, scanContent, writeFindings } from '../../src/store/sensitive/findings.ts'
import {
  forgetFindings,
  reconcileQuarantine,
  setDismissed,
  setReleased,
  sweepFindings,
} from '../../src/store/sensitive/quarantine.ts'
import {
  countFindingsByPair,
  countFindingsBySource,
  countUnsearched,
  FINDING_STATES,
  listSensitiveDocuments,
} from '../../src/store/sensitive/report.ts'
import { updateSettings } from '../../src/store/settings/settings.ts'
import { contentOf } from '../document-content.ts'
import { open } from './open-postgres.ts'
import { onPostgres } from './start-postgres.ts'

/** Later than 32 bits hold. */
const NOW = 1_795_000_000_000
const ALL = { source: null, kind: null, ccPairId: null, state: null }
const SECRET = 'password=k8Tz4qWmZp'

await onPostgres((server) => {
  let db: Database
  before(async () => {
    db = await open(await server.createDatabase())
  })
  after(async () => {
    await db.close()
  })
  const accept = async (text: string) => {
    const [accepted] = await acceptDocuments(
      db,
      'all',
      [{ content: contentOf('a', text), ccPairId: 1, requestId: null }],
      NOW,
    )
    assert.ok(accepted !== undefined && !(accepted instanceof Error), String(accepted))
  }
  const isQuarantined = async () => (await findReceipt(db, 'a'))?.is_quarantined
  const listed = async (filter = {}) => listSensitiveDocuments(db, { ...ALL, ...filter }, { before: null, limit: 10 })

  test('findings are written with the document and reported', async () => {
    await accept(`${SECRET}, DE91500105173456789012`)
    const [document] = await listed()
    assert.deepEqual(
      document?.findings.map((it) => [it.kind, it.count, it.is_secret]),
      [
        ['assigned_secret', 1, true],
        ['iban', 1, false],
      ],
    )
    assert.deepEqual([document.found_at, await isQuarantined()], [NOW, false])
    assert.equal((await countFindingsBySource(db)).length, 2)
    assert.deepEqual(
      (await countFindingsByPair(db)).map((it) => [it.documents, it.count]),
      [
        [1, 1],
        [1, 1],
      ],
    )
    const counts = await Promise.all(FINDING_STATES.map(async (state) => (await listed({ state })).length))
    assert.deepEqual(counts, [1, 0, 0, 0])
  })

  test('the setting moves documents into quarantine, as changes of the index', async () => {
    await updateSettings(db, { sensitive_content: 'quarantine' })
    const seq = await reconcileQuarantine(db, NOW)
    const change = await findChange(db, 'a')
    assert.deepEqual([change?.seq, change?.isDeleted, await isQuarantined()], [seq, true, true])
    assert.equal(await reconcileQuarantine(db, NOW), null)
  })

  test('a release and a dismissal let it out, and a new secret brings it back', async () => {
    assert.notEqual(await setReleased(db, 'a', { isReleased: true, now: NOW }), null)
    assert.deepEqual([await isQuarantined(), (await listed({ state: 'released' })).length], [false, 1])
    await accept(`Changed. ${SECRET}`)
    assert.equal(await isQuarantined(), true)
    await setDismissed(db, 'a', { kind: 'assigned_secret', isDismissed: true, now: NOW })
    assert.equal(await isQuarantined(), false)
    await accept(`Twice. ${SECRET} ${SECRET}`)
    assert.equal(await isQuarantined(), true)
    await accept('Nothing.')
    assert.deepEqual([await isQuarantined(), (await listed()).length], [false, 0])
    await assert.rejects(setReleased(db, 'a', { isReleased: true, now: NOW }), /no such finding/)
    await sweepFindings(db)
    assert.equal((await db.selectFrom('sensitive_finding').selectAll().execute()).length, 0)
  })

  test('without the search nothing is kept, and stored documents are searched later', async () => {
    await accept(SECRET)
    await updateSettings(db, { sensitive_content: 'off' })
    assert.notEqual(await reconcileQuarantine(db, NOW), null)
    assert.equal(await forgetFindings(db), 1)
    assert.equal((await countUnsearched(db)).unsearched, 1)
    await updateSettings(db, { sensitive_content: 'report' })
    const [document] = await listUnsearchedDocuments(db, { limit: 10, maxBytes: 1 })
    assert.ok(document !== undefined)
    await writeFindings(db, document, await scanContent(document), NOW)
    assert.deepEqual([(await countUnsearched(db)).unsearched, (await listed()).length], [0, 1])
    await db.updateTable('document').set({ deleted_at: 1 }).execute()
    await purgeTrashedDocuments(db, NOW, Number.MAX_SAFE_INTEGER)
    assert.equal((await db.selectFrom('sensitive_document').selectAll().execute()).length, 0)
  })
})
