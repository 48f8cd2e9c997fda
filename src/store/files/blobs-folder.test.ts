import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { openBlobsFolder } from './blobs-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-blobs-'))
after(() => rmSync(folder, { recursive: true }))
const blobs = await openBlobsFolder(folder)
const incoming = () => readdirSync(join(folder, 'incoming'))
const received = (text: string) => blobs.receive(Readable.from([Buffer.from(text)]))

test('equal bytes have equal names and are returned unchanged', async () => {
  const bytes = Buffer.from('some bytes')
  const first = await blobs.receive(Readable.from([bytes.subarray(0, 4), bytes.subarray(4)]))
  assert.deepEqual([first.name, first.size], [createHash('sha256').update(bytes).digest('hex'), 10])
  await first.keep()
  const second = await received('some bytes')
  assert.equal(second.name, first.name)
  await second.keep()
  assert.deepEqual(await buffer(await blobs.get(first.name)), bytes)
  assert.deepEqual(incoming(), [])
})

test('a broken stream leaves nothing behind', async () => {
  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('half')
      throw new Error('gone')
    })(),
  )
  await assert.rejects(blobs.receive(broken), /gone/)
  assert.deepEqual(incoming(), [])
})

test('a discarded blob is gone, and a kept one cannot be discarded', async () => {
  const [one, other] = [await received('one'), await received('other')]
  await one.discard()
  await other.keep()
  await other.discard()
  await assert.rejects(blobs.get(one.name), { code: 'FILE_NOT_FOUND' })
  assert.equal((await buffer(await blobs.get(other.name))).toString(), 'other')
  assert.deepEqual(incoming(), [])
})

test('a released blob can be discarded or kept again', async () => {
  const { name, keep } = await received('on its way out')
  await keep()
  await (await blobs.release(name))!.keep()
  assert.equal((await buffer(await blobs.get(name))).length, 14)
  const released = (await blobs.release(name))!
  await assert.rejects(blobs.get(name), { code: 'FILE_NOT_FOUND' })
  await released.discard()
  assert.equal(await blobs.release(name), undefined)
  assert.deepEqual(incoming(), [])
})

test('the next start lists complete unfinished blobs and removes incomplete ones', async () => {
  const { name, size } = await received('left by a crash')
  writeFileSync(join(folder, 'incoming', 'half'), 'half')
  const next = await openBlobsFolder(folder)
  const unfinished = await next.unfinished()
  assert.deepEqual(
    unfinished.map((it) => [it.name, it.size]),
    [[name, size]],
  )
  assert.equal(incoming().length, 1)
  await unfinished[0]!.keep()
  assert.equal((await buffer(await next.get(name))).length, size)
  assert.deepEqual(incoming(), [])
})

test('exclusive actions run one after the other, even after a failure', async () => {
  const seen: string[] = []
  const action = (name: string) => async () => {
    seen.push(`${name} begins`)
    await received(name)
    seen.push(`${name} ends`)
    if (name === 'a') throw new Error('a fails')
  }
  const [a, b] = [blobs.exclusively(action('a')), blobs.exclusively(action('b'))]
  await assert.rejects(a, /a fails/)
  await b
  assert.deepEqual(seen, ['a begins', 'a ends', 'b begins', 'b ends'])
})

test('a name that is not a hash never reaches the file system', async () => {
  for (const name of ['../../etc/passwd', '']) {
    await assert.rejects(blobs.get(name), /not a blob name/)
    await assert.rejects(blobs.release(name), /not a blob name/)
  }
})
