import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiClient } from '../client/api.ts'
import { AppError } from '../domain/errors.ts'
import type { CommandContext } from './context.ts'
import { runCommand } from './run.ts'
import { createTerminal } from './terminal.ts'

/** A service that gives every request the same response. */
async function run(words: readonly string[], { status = 200, text = '{}' } = {}) {
  const out: string[] = []
  const error: string[] = []
  const clock = () => 0
  const fetch = async () => new Response(text, { status, headers: { 'x-request-id': 'r1' } })
  const missing = async () => {
    throw new AppError('RECORD_MISSING', { place: '/data' })
  }
  const context: CommandContext = {
    terminal: createTerminal({
      out: { write: (line) => out.push(line) },
      error: { write: (line) => error.push(line) },
      hasColors: true,
      clock,
    }),
    version: '1.2.3',
    connect: () => ({ isDefault: true, url: 'http://host', api: createApiClient({ url: 'http://host', fetch }) }),
    openOffline: async () => ({
      backup: missing,
      checkBackup: missing,
      restore: missing,
      reindex: missing,
      listUndecryptableSecrets: missing,
      discardUndecryptableSecrets: missing,
      inspectRecord: missing,
      acceptLoss: missing,
      setRecordAside: missing,
      addModel: missing,
      inspectUpgrade: missing,
      upgrade: missing,
    }),
    signal: new AbortController().signal,
    stateDir: '/nowhere',
    stdin: (async function* () {})(),
    pathOf: (name) => name,
    clock,
    now: clock,
  }
  const code = await runCommand(context, words)
  return { code, out: out.join(''), error: error.join('') }
}

test('help explains every command, with its options and an example', async () => {
  const overview = (await run(['help'])).out
  assert.deepEqual(overview, (await run([])).out)
  const names = [...overview.matchAll(/^ {2}([a-z]+) +[A-Z]/gm)].map((it) => it[1]!)
  assert.ok(names.length >= 10)
  for (const name of names.filter((it) => !['serve', 'help', 'version'].includes(it))) {
    const { code, out } = await run(['help', name])
    assert.equal(code, 0)
    assert.match(out, new RegExp(`Usage: npm run pharos -- ${name} .*pharos ${name}.*Options:`, 's'))
    assert.equal((await run([name, '--help'])).out, out)
  }
})

test('help also explains the commands without options', async () => {
  for (const name of ['serve', 'help', 'version']) {
    const { code, out } = await run(['help', name])
    assert.equal(code, 0)
    assert.match(out, new RegExp(`^[A-Z].*Usage: npm run pharos -- ${name}`, 's'))
  }
})

test('the version of the program is printed', async () => {
  for (const word of ['version', '--version']) assert.equal((await run([word])).out, 'Pharos 1.2.3\n')
})

test('key create makes a key for monitoring', async () => {
  const { code, error } = await run(['key', 'create', '--scope', 'metrics'])
  assert.deepEqual([code, error.includes('--scope must be')], [0, false])
})

for (const [words, text, sentence] of [
  [['search', 'x'], '{"results":[],"closest":[],"total":0,"took_ms":3}', /^No document was found, in 3 ms\./],
  [
    ['search', 'x', '--offset', '9'],
    '{"results":[],"closest":[],"total":4,"took_ms":3}',
    /^No more documents: the search found 4,/,
  ],
  [
    ['search', 'x'],
    '{"results":[],"closest":[{"document_id":"a","semantic_identifier":"Page","link":null}],"total":0,"took_ms":3}',
    /^Nothing answers this, in 3 ms\. --all shows what contains some of the words\. Closest:\n +Page · a\n$/,
  ],
] as const)
  test(`"${words.join(' ')}" without a hit prints ${sentence} and exits with 0`, async () => {
    const { code, out, error } = await run(words, { text })
    assert.deepEqual([code, out], [0, ''])
    assert.match(error, sentence)
  })

const wrong: [string[], RegExp][] = [
  [['serch', 'x'], /There is no command "serch"\. The commands are serve, ingest/],
  [['help', 'serch'], /There is no command "serch"/],
  [['search'], /Usage: pharos search QUERY/],
  [['search', 'x', '--lmit', '3'], /Unknown option '--lmit'\n"pharos help search" lists the options/],
  [['search', 'x', '--limit', 'many'], /--limit must be a whole number from 1 to 1000, not "many"/],
  [['search', 'x', '--tag', 'team'], /--tag must be KEY=VALUE, not "team"/],
  [['key', 'revoke'], /key list \| create \| revoke ID/],
  [
    ['key', 'create', '--role', 'boss'],
    /--role must be one of admin, global_curator, curator, basic, limited, not "boss"/,
  ],
  [['backup'], /Usage: pharos backup FILE/],
  [['status', 'x'], /Usage: pharos status/],
]
for (const [words, message] of wrong)
  test(`"${words.join(' ')}" is a usage error with a remedy`, async () => {
    const { code, out, error } = await run(words)
    assert.deepEqual([code, out], [64, ''])
    assert.match(error, message)
  })

const answers: [number, string, number, RegExp][] = [
  [401, '{"error_code":"UNAUTHENTICATED","detail":"No key."}', 77, /^No key\.\n$/],
  [403, '{"error_code":"X","detail":"Not you."}', 77, /^Not you\.\n$/],
  [404, '{"error_code":"X","detail":"Not there."}', 65, /^Not there\.\n$/],
  [503, '{"error_code":"QUEUE_FULL","detail":"Full."}', 75, /^Full\. \(HTTP 503, request r1\)\n$/],
  [502, '<h1>\u001b[2J</h1>', 69, /^The answer was HTTP 502\. \(HTTP 502, request r1\)\n$/],
  [500, '{"error_code":"X","detail":"\\u001b[2JOops"}', 69, /^\\u001b\[2JOops \(/],
]
for (const [status, text, code, message] of answers)
  test(`a response ${status} gives exit code ${code}`, async () => {
    const ended = await run(['search', 'x'], { status, text })
    assert.deepEqual([ended.code, ended.out], [code, ''])
    assert.match(ended.error, message)
  })

test('a missing record gives exit code 66', async () => {
  const { code, error } = await run(['backup', 'x'])
  assert.deepEqual([code, error], [66, 'There is no database at /data. Is DATA_DIR the folder of the service?\n'])
})
