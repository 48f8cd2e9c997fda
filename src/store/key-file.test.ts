import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { addToKeyFile, readKeyFile, removeFromKeyFile } from './key-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-keys-'))
const path = join(folder, 'secret-key')
after(() => rmSync(folder, { recursive: true }))
beforeEach(() => rmSync(path, { force: true }))

test('without a file there is no key', () => {
  assert.deepEqual(readKeyFile(path), [])
})

test('a new key goes to the end, for its owner alone, and leaves nothing else behind', () => {
  const [first, second] = [addToKeyFile(path), addToKeyFile(path)]
  assert.deepEqual(readKeyFile(path), [first, second])
  assert.equal(readFileSync(path, 'utf8'), `${first}\n${second}\n`)
  assert.ok(Buffer.from(second, 'base64url').length === 32 && first !== second)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(folder), ['secret-key'])
})

test('a file that others could read is closed when a key is added', () => {
  writeFileSync(path, `${'k'.repeat(20)}\n`)
  chmodSync(path, 0o644)
  addToKeyFile(path)
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('a removed key is gone, the others keep their order', () => {
  const keys = [addToKeyFile(path), addToKeyFile(path), addToKeyFile(path)]
  removeFromKeyFile(path, (text) => text === keys[1])
  assert.deepEqual(readKeyFile(path), [keys[0], keys[2]])
})

test('ends of lines, empty lines and a missing last end of line do not matter', () => {
  writeFileSync(path, `\r\n${'a'.repeat(20)}  \r\n\n${'b'.repeat(43)}`)
  assert.deepEqual(readKeyFile(path), ['a'.repeat(20), 'b'.repeat(43)])
})

test('a line that is too short for a key is refused, with the file and not the line', () => {
  writeFileSync(path, `${'a'.repeat(20)}\ntoo short\n`)
  assert.throws(
    () => readKeyFile(path),
    (error: Error) => error.message.startsWith(path) && !error.message.includes('too short'),
  )
})
