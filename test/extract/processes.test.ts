// Reader processes are reused and replaced, and never affect the verdict of another file.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createExtractor } from '../../src/extract/extract.ts'
import { pdf } from './pdf-writer.ts'

const { signal } = new AbortController()
const paper = pdf([{ text: 'words' }])
const slow = Buffer.from('<b>x '.repeat(3_000_000))
const open = () => {
  const extractor = createExtractor({ processes: 1 })
  after(() => extractor.close())
  return extractor
}

test('a reading that close() interrupts is not reported as damaged', async () => {
  const extractor = open()
  const reading = extractor.extract({ source: { bytes: slow }, file_name: 'a.html', signal })
  const rejected = assert.rejects(reading, /closed/)
  await extractor.close()
  await rejected
  await assert.rejects(extractor.extract({ source: { bytes: paper }, file_name: 'a.pdf', signal }), /closed/)
})

test('aborting a reading frees the process for the next file', async () => {
  const extractor = open()
  const ending = new AbortController()
  const reading = extractor.extract({ source: { bytes: slow }, file_name: 'a.html', signal: ending.signal })
  const waiting = extractor.extract({ source: { bytes: slow }, file_name: 'a.html', signal: ending.signal })
  const rejected = Promise.all([reading, waiting].map((it) => assert.rejects(it, /enough/)))
  ending.abort(new Error('enough'))
  await rejected
  const { report } = await extractor.extract({ source: { bytes: paper }, file_name: 'a.pdf', signal })
  assert.equal(report.verdict, 'ok')
})

test('a file on disk is read, even if its reader dies during the transfer', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-extract-'))
  after(() => rmSync(folder, { recursive: true }))
  const [small, large, missing] = ['a.pdf', 'large.html', 'missing'].map((it) => join(folder, it)) as [
    string,
    string,
    string,
  ]
  writeFileSync(small, paper)
  writeFileSync(large, slow)
  const extractor = open()
  const of = (path: string, limits = {}) =>
    extractor.extract({ source: { path }, file_name: path, limits, signal }).then(({ report }) => report)
  assert.equal((await of(small)).verdict, 'ok')
  const memory = await of(large, { memoryBytes: 1 << 20 })
  assert.deepEqual([memory.verdict, memory.warnings[0]?.detail], ['limit', 'memory'])
  await assert.rejects(of(missing), /ENOENT/)
  assert.equal((await of(small)).verdict, 'ok')
})

const isPosix = process.platform === 'win32' ? { skip: 'needs ulimit' } : {}

test('without file descriptors no reader starts, and the next extraction succeeds', isPosix, () => {
  const program = join(import.meta.dirname, 'out-of-files.ts')
  const command = ['-c', 'ulimit -n 64 && exec "$@"', 'bash', process.execPath, program]
  const { status, signal, stderr } = spawnSync('bash', command, { encoding: 'utf8' })
  assert.equal(status, 0, `${signal ?? ''}${stderr}`)
})
