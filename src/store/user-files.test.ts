// A crash between the bytes of an upload and its row, at every point: the next start puts both right.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { temporaryDatabase } from '../../test/temporary-database.ts'
import type { Blobs } from './blobs.ts'
import { openBlobsFolder } from './blobs-folder.ts'
import { deleteUserFile, finishUserFiles, insertUserFiles, listUserFiles } from './user-files.ts'

const { db, folder } = await temporaryDatabase()
const owner = { user_id: 'ann' }
const open = () => openBlobsFolder(join(folder, 'blobs'))
const receive = (blobs: Blobs, text: string) => blobs.receive(Readable.from([Buffer.from(text)]))
const row = (id: string) => ({ id, name: id, file_type: 'text/plain', user_id: 'ann', created_at: 0 })
const crash = () => Promise.reject(new Error('crash'))

/** As after a crash: another process looks at what this one has left. */
async function restarted(): Promise<Blobs> {
  const blobs = await open()
  await finishUserFiles({ db, blobs })
  assert.deepEqual(readdirSync(join(folder, 'blobs/incoming')), [])
  return blobs
}

const textOf = async (blobs: Blobs, id: string) => {
  const [file] = await listUserFiles(db, owner, [id])
  return file === undefined ? undefined : (await buffer(await blobs.get(file.blob))).toString()
}

test('received, and no row yet: gone', async () => {
  const { name } = await receive(await open(), 'one')
  await assert.rejects((await restarted()).get(name), { code: 'FILE_NOT_FOUND' })
})

test('a row, and the bytes not in their place yet: kept', async () => {
  const received = await receive(await open(), 'two')
  await db
    .insertInto('user_file')
    .values({ ...row('two'), blob: received.name, size: 3 })
    .execute()
  assert.equal(await textOf(await restarted(), 'two'), 'two')
})

test('bytes out of their place, and the row still there: kept', async () => {
  const blobs = await open()
  await insertUserFiles({ db, blobs }, [{ row: row('three'), received: await receive(blobs, 'three') }])
  const [file] = await listUserFiles(db, owner, ['three'])
  await blobs.release(file!.blob)
  assert.equal(await textOf(await restarted(), 'three'), 'three')
})

test('bytes out of their place, and no row any more: gone', async () => {
  const blobs = await open()
  await insertUserFiles({ db, blobs }, [{ row: row('four'), received: await receive(blobs, 'four') }])
  const [file] = await listUserFiles(db, owner, ['four'])
  const half = { ...blobs, release: async (name: string) => ({ ...(await blobs.release(name))!, discard: crash }) }
  await assert.rejects(deleteUserFile({ db, blobs: half }, owner, 'four'), /crash/)
  await assert.rejects((await restarted()).get(file!.blob), { code: 'FILE_NOT_FOUND' })
})

test('of several files whose bytes cannot all be kept none is', async () => {
  const blobs = await open()
  const [one, other] = [await receive(blobs, 'five'), await receive(blobs, 'six')]
  const files = [
    { row: row('five'), received: one },
    { row: row('six'), received: { ...other, keep: crash } },
  ]
  await assert.rejects(insertUserFiles({ db, blobs }, files), /crash/)
  await other.discard()
  assert.deepEqual(await listUserFiles(db, owner, ['five', 'six']), [])
  await assert.rejects(blobs.get(one.name), { code: 'FILE_NOT_FOUND' })
  await restarted()
})
