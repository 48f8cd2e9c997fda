// Crashes at every point between the bytes of an upload and its row; the next start repairs both.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { temporaryDatabase } from '../../../test/temporary-database.ts'
import type { Blobs } from './blobs.ts'
import { openBlobsFolder } from './blobs-folder.ts'
import { deleteUserFile, insertUserFiles, listUserFiles, recoverUserFiles } from './user-files.ts'

const { db, folder } = await temporaryDatabase()
const owner = { user_id: 'ann' }
const open = () => openBlobsFolder(join(folder, 'blobs'))
const receive = (blobs: Blobs, text: string) => blobs.receive(Readable.from([Buffer.from(text)]))
const row = (id: string) => ({ id, name: id, file_type: 'text/plain', user_id: 'ann', created_at: 0 })
const crash = () => Promise.reject(new Error('crash'))

/** Like after a crash: another process inspects what this one left. */
async function restarted(): Promise<Blobs> {
  const blobs = await open()
  await recoverUserFiles({ db, blobs })
  assert.deepEqual(readdirSync(join(folder, 'blobs/incoming')), [])
  return blobs
}

const textOf = async (blobs: Blobs, id: string) => {
  const [file] = await listUserFiles(db, owner, [id])
  return file === undefined ? undefined : (await buffer(await blobs.get(file.blob))).toString()
}

test('received, without a row: discarded', async () => {
  const { name } = await receive(await open(), 'one')
  await assert.rejects((await restarted()).get(name), { code: 'FILE_NOT_FOUND' })
})

test('a row, with bytes not in place: kept', async () => {
  const received = await receive(await open(), 'two')
  await db
    .insertInto('user_file')
    .values({ ...row('two'), blob: received.name, size: 3 })
    .execute()
  assert.equal(await textOf(await restarted(), 'two'), 'two')
})

test('bytes out of place, with a row: kept', async () => {
  const blobs = await open()
  await insertUserFiles({ db, blobs }, [{ row: row('three'), received: await receive(blobs, 'three') }])
  const [file] = await listUserFiles(db, owner, ['three'])
  await blobs.release(file!.blob)
  assert.equal(await textOf(await restarted(), 'three'), 'three')
})

test('bytes out of place, without a row: discarded', async () => {
  const blobs = await open()
  await insertUserFiles({ db, blobs }, [{ row: row('four'), received: await receive(blobs, 'four') }])
  const [file] = await listUserFiles(db, owner, ['four'])
  const half = { ...blobs, release: async (name: string) => ({ ...(await blobs.release(name))!, discard: crash }) }
  await assert.rejects(deleteUserFile({ db, blobs: half }, owner, 'four'), /crash/)
  await assert.rejects((await restarted()).get(file!.blob), { code: 'FILE_NOT_FOUND' })
})

test('if the bytes of one file cannot be kept, no file is', async () => {
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
