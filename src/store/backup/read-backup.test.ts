import assert from 'node:assert/strict'
import { mkdtempSync, ReadStream, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { writeArchive } from './archive.ts'
import { readBackup } from './read-backup.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-read-backup-'))
after(() => rmSync(folder, { recursive: true }))

const MB = 1 << 20
const ABOUT = {
  format: 1,
  version: '1',
  schema: 1,
  made_at: '2026-01-31T12:00:00Z',
  database: 'sqlite',
  holds_keys: false,
}
const text = (content: string): [string, number, Iterable<Buffer>] => {
  const bytes = Buffer.from(content)
  return ['', bytes.length, [bytes]]
}
/** Begins with the first text and continues with spaces, or with another repeated text. */
function padded(begin: string, megabytes: number, filler = ' '): [string, number, Iterable<Buffer>] {
  const piece = Buffer.alloc(MB, filler)
  const pieces = function* () {
    yield Buffer.from(begin)
    for (let at = 0; at < megabytes; at++) yield piece
  }
  return ['', Buffer.byteLength(begin) + megabytes * MB, pieces()]
}

let files = 0
async function archive(entries: Record<string, [string, number, Iterable<Buffer>]>): Promise<string> {
  const path = join(folder, `${++files}.tar.gz`)
  await writeArchive(path, async ({ add }) => {
    for (const [name, [, size, content]] of Object.entries(entries)) await add(name, size, content)
  })
  return path
}

/** Bytes that may be read before a file is refused: a bomb is never unpacked completely. */
async function refused(path: string, reason: RegExp, megabytes: number): Promise<void> {
  const before = process.memoryUsage().rss
  let highest = before
  const look = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss)
  }, 5)
  try {
    await assert.rejects(readBackup(path, {}), { code: 'BACKUP_INVALID', message: reason })
  } finally {
    clearInterval(look)
  }
  const used = (Math.max(highest, process.memoryUsage().rss) - before) / MB
  assert.ok(used < megabytes, `${used} MB`)
}

const BOMB = 300
describe('a bomb in a backup is refused without being held in memory', () => {
  test('about.json', async () => {
    await refused(await archive({ 'about.json': padded('', BOMB) }), /about\.json is larger than 1048576 bytes/, 150)
  })

  const about = () => text(JSON.stringify(ABOUT))
  test('manifest.json', async () => {
    const path = await archive({ 'about.json': about(), 'manifest.json': padded('{', BOMB) })
    await refused(path, /manifest\.json is larger than 1048576 bytes/, 150)
  })

  test('a key file', async () => {
    const path = await archive({ 'about.json': about(), 'keys/secret-key': padded('', BOMB) })
    await refused(path, /keys\/secret-key is larger than 1048576 bytes/, 150)
  })

  const rows = 'record/document/000000.ndjson'
  test('rows that begin with spaces', async () => {
    await refused(
      await archive({ 'about.json': about(), [rows]: padded('["id"]\n', BOMB) }),
      /document\S+ is damaged/,
      150,
    )
  })

  test('a row of spaces', async () => {
    const path = await archive({ 'about.json': about(), [rows]: padded('["id"]\n[', BOMB) })
    await refused(path, /has a line of more than 125829120 characters/, 600)
  })

  test('a row of very many cells, or very deep', async () => {
    for (const filler of ['[', '{},', '1,'])
      await refused(
        await archive({ 'about.json': about(), [rows]: padded('["id"]\n[', 30, filler) }),
        /ends in the middle of a line|is damaged/,
        300,
      )
    const ended = padded('["id"]\n[', 30, '[')
    const path = await archive({
      'about.json': about(),
      [rows]: [ended[0], ended[1] + 1, [...ended[2], Buffer.from('\n')]],
    })
    await refused(path, /document\S+ is damaged/, 300)
  })

  test('very many rows', async () => {
    const path = await archive({ 'about.json': about(), [rows]: padded('["id"]\n', BOMB, '[1]\n') })
    await refused(path, /is longer than backups make it/, 500)
  })

  test('reading ends at once', async () => {
    const path = await archive({ 'about.json': padded('', BOMB) })
    const { size } = statSync(path)
    let read = 0
    const original = ReadStream.prototype._read
    ReadStream.prototype._read = function (bytes: number) {
      read += bytes
      return original.call(this, bytes)
    }
    try {
      await assert.rejects(readBackup(path, {}), { code: 'BACKUP_INVALID' })
    } finally {
      ReadStream.prototype._read = original
    }
    assert.ok(read < size / 2, `${read} of ${size} bytes`)
  })
})

test('an about.json that is not an object is refused', async () => {
  for (const it of ['null', '7', '"a"', '[]'])
    await assert.rejects(readBackup(await archive({ 'about.json': text(it) }), {}), { code: 'BACKUP_INVALID' })
})
