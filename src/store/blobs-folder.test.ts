import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { openBlobsFolder } from './blobs-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-blobs-'))
after(() => rmSync(folder, { recursive: true }))
const blobs = await openBlobsFolder(folder)

test('the same bytes have the same name, and come back as they were', async () => {
  const bytes = Buffer.from('some bytes')
  const first = await blobs.put(Readable.from([bytes.subarray(0, 4), bytes.subarray(4)]))
  assert.deepEqual(first, { name: createHash('sha256').update(bytes).digest('hex'), size: 10 })
  assert.deepEqual(await blobs.put(Readable.from([bytes])), first)
  assert.deepEqual(await buffer(await blobs.get(first.name)), bytes)
})

test('a stream that breaks leaves nothing behind', async () => {
  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('half')
      throw new Error('gone')
    })(),
  )
  await assert.rejects(blobs.put(broken), /gone/)
  assert.deepEqual(readdirSync(join(folder, 'incoming')), [])
})

test('a name that is no hash never reaches the file system', async () => {
  await assert.rejects(blobs.get('../../etc/passwd'), /not the name of a blob/)
})
