// The queries of the page of a document, and hiding, on PostgreSQL.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listDocumentReaders } from '../../src/identity/document-readers.ts'
import { acceptDocuments } from '../../src/store/documents/accept-documents.ts'
import { findDocumentAccessFacts } from '../../src/store/documents/access-facts.ts'
import { findDocumentDetails } from '../../src/store/documents/details/document-details.ts'
import { findChange, findDocuments } from '../../src/store/documents/documents.ts'
import { setDocumentHidden } from '../../src/store/documents/hidden.ts'
import { listReceipts } from '../../src/store/documents/receipts.ts'
import { contentOf } from '../document-content.ts'
import { open } from './open-postgres.ts'
import { onPostgres } from './start-postgres.ts'

const PAGE = {
  ...{ before: null, limit: 10, state: null, warning: null, ccPairId: null },
  title: null,
  documentId: null,
}

await onPostgres((server) => {
  test('a document is hidden, listed as hidden, and shown again', async () => {
    const db = await open(await server.createDatabase())
    const external_access = {
      is_public: false,
      external_user_emails: ['ann@example.com'],
      external_user_group_ids: ['board'],
    }
    const content = { ...contentOf('plan'), external_access }
    await acceptDocuments(db, 'all', [{ content, ccPairId: 1, requestId: null }], 1)
    assert.ok((await setDocumentHidden(db, 'plan', { isHidden: true, now: 2, requestId: 'r' })) !== null)
    assert.equal(await setDocumentHidden(db, 'plan', { isHidden: true, now: 2, requestId: 'r' }), null)
    assert.deepEqual(await findDocuments(db, ['plan']), [])
    assert.equal((await findChange(db, 'plan'))?.isDeleted, true)
    assert.equal((await findDocumentDetails(db, 'plan'))?.hidden_at, 2)
    const hidden = await listReceipts(db, 'all', { ...PAGE, isHidden: true, source: content.source })
    assert.deepEqual(
      hidden.receipts.map((it) => [it.document_id, it.is_hidden]),
      [['plan', true]],
    )
    const facts = await findDocumentAccessFacts(db, 'plan')
    const { readers, total } = await listDocumentReaders(db, facts!, { offset: 0, limit: 10 })
    assert.deepEqual(
      [total, readers.map((it) => [it.kind, it.name, it.members])],
      [
        2,
        [
          ['address', 'ann@example.com', null],
          ['group', 'board', 0],
        ],
      ],
    )
    await setDocumentHidden(db, 'plan', { isHidden: false, now: 3, requestId: 'r' })
    assert.equal((await findChange(db, 'plan'))?.isDeleted, false)
    assert.deepEqual((await listReceipts(db, 'all', { ...PAGE, isHidden: true, source: null })).receipts, [])
  })
})
