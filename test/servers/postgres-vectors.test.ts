// Stored vectors, and how they are found, on PostgreSQL.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptDocuments } from '../../src/store/documents/accept-documents.ts'
import { findVectors, findVectorsOfTexts, insertVectors } from '../../src/store/documents/chunk-vectors.ts'
import { contentOf } from '../document-content.ts'
import { open } from './open-postgres.ts'
import { onPostgres } from './start-postgres.ts'

await onPostgres((server) => {
  test('a vector is found by the hash of its chunk and by that of its text', async () => {
    const db = await open(await server.createDatabase())
    const documents = ['a', 'b'].map((id) => ({ content: contentOf(id), ccPairId: 1, requestId: null }))
    await acceptDocuments(db, 'all', documents, 1)
    const rowOf = (document_id: string, hash: string) => ({ document_id, hash, vector: 'AAAA', text_hash: 'text' })
    await insertVectors(db, 'model', [rowOf('a', '1'), rowOf('b', '2'), rowOf('nobody', '3')])
    assert.deepEqual([...(await findVectors(db, 'model', ['1', '2', '3'])).keys()].toSorted(), ['1', '2'])
    assert.deepEqual([...(await findVectorsOfTexts(db, 'model', ['text', 'other']))], [['text', 'AAAA']])
    assert.equal((await findVectorsOfTexts(db, 'other model', ['text'])).size, 0)
  })
})
