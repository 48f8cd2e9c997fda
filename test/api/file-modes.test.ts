// Only the user that runs the service can open its files, even if another user created the data folder.
import assert from 'node:assert/strict'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { start } from './setup.ts'

function newFolder(mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-modes-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, mode)
  return folder
}

const modeOf = (path: string) => lstatSync(path).mode & 0o777
/** Lists links without following them. */
const pathsIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((it) => {
    const path = join(folder, it.name)
    return it.isDirectory() ? [path, ...pathsIn(path)] : [path]
  })
const isLink = (path: string) => lstatSync(path).isSymbolicLink()

/** Paths that other users may read, write or enter. */
const openIn = (folder: string) =>
  [folder, ...pathsIn(folder)].filter((it) => !isLink(it) && (modeOf(it) & 0o077) !== 0).sort()

const FORM = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello\r\n--x--\r\n'

async function use(dataDir: string): Promise<Awaited<ReturnType<typeof start>>> {
  const service = await start({}, { dataDir })
  await service.push({ id: 'a', semantic_identifier: 'A', sections: [{ text: 'heliotrope' }], metadata: {} })
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  assert.equal((await service.ask('POST', '/user/file/upload', { bytes: FORM, headers })).status, 200)
  return service
}

/** A data folder that the user had created, as an earlier version left it. */
function open(folder: string): void {
  for (const it of [folder, ...pathsIn(folder)])
    if (!isLink(it)) chmodSync(it, lstatSync(it).isDirectory() ? 0o755 : 0o644)
}

test('in a folder open to others all files of the service are private', async () => {
  const dataDir = newFolder(0o755)
  const { server } = await use(dataDir)
  assert.ok(pathsIn(dataDir).some((it) => /blobs\/..\/[0-9a-f]{64}$/.test(it)))
  assert.deepEqual(openIn(dataDir), [])
  await server.stop()
  assert.deepEqual(openIn(dataDir), [])
})

test('the next start makes open files and the folder private', async () => {
  const dataDir = newFolder(0o755)
  await (await use(dataDir)).server.stop()
  open(dataDir)
  const { server, found } = await start({ LOG_LEVEL: 'info' }, { dataDir })
  assert.deepEqual(openIn(dataDir), [])
  assert.match(server.output(), /"closed":\d+,"msg":"DATA_DIR closed/)
  assert.deepEqual(await found('heliotrope'), ['a'])
})

test('foreign files and link targets are not changed, and an open folder is reported', async () => {
  const dataDir = newFolder(0o755)
  await (await use(dataDir)).server.stop()
  const outside = newFolder(0o755)
  writeFileSync(join(outside, 'file'), '')
  writeFileSync(join(dataDir, 'notes.txt'), '')
  mkdirSync(join(dataDir, 'pictures'))
  symlinkSync(outside, join(dataDir, 'blobs', 'elsewhere'))
  symlinkSync(join(outside, 'file'), join(dataDir, 'index-link'))
  open(dataDir)
  open(outside)
  const { server } = await start({}, { dataDir })
  const foreign = ['notes.txt', 'pictures'].map((it) => join(dataDir, it))
  assert.deepEqual(openIn(dataDir), [dataDir, ...foreign])
  assert.deepEqual([modeOf(outside), modeOf(join(outside, 'file'))], [0o755, 0o644])
  const line = server
    .output()
    .split('\n')
    .find((it) => it.includes('DATA_DIR is open to other users'))
  const told = JSON.parse(line ?? '{}')
  const links = [join(dataDir, 'blobs', 'elsewhere'), join(dataDir, 'index-link')]
  assert.deepEqual(told.open.sort(), [dataDir, ...links])
})
