import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { appendKey, readKeyFile, removeKeys } from './key-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-keys-'))
const path = join(folder, 'secret-key')
after(() => rmSync(folder, { recursive: true }))
beforeEach(() => rmSync(path, { force: true }))

test('without a file there is no key', () => {
  assert.deepEqual(readKeyFile(path), [])
})

test('a new key is appended, readable by its owner only, and leaves no other file behind', () => {
  const [first, second] = [appendKey(path), appendKey(path)]
  assert.deepEqual(readKeyFile(path), [first, second])
  assert.equal(readFileSync(path, 'utf8'), `${first}\n${second}\n`)
  assert.ok(Buffer.from(second, 'base64url').length === 32 && first !== second)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(folder), ['secret-key'])
})

test('adding a key makes a file private that others could read', () => {
  writeFileSync(path, `${'k'.repeat(20)}\n`)
  chmodSync(path, 0o644)
  appendKey(path)
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('removing a key keeps the order of the others', () => {
  const keys = [appendKey(path), appendKey(path), appendKey(path)]
  removeKeys(path, (text) => text === keys[1])
  assert.deepEqual(readKeyFile(path), [keys[0], keys[2]])
})

test('line endings, empty lines and a missing final line end do not matter', () => {
  writeFileSync(path, `\r\n${'a'.repeat(20)}  \r\n\n${'b'.repeat(43)}`)
  assert.deepEqual(readKeyFile(path), ['a'.repeat(20), 'b'.repeat(43)])
})

test('a line that is too short for a key is refused, naming the file but not the line', () => {
  writeFileSync(path, `${'a'.repeat(20)}\ntoo short\n`)
  assert.throws(
    () => readKeyFile(path),
    (error: Error) => error.message.startsWith(path) && !error.message.includes('too short'),
  )
})
