// Only src/egress can reach an address: checks that the lint rules work, and looks for bypasses they cannot see.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const WAYS_OUT = [
  "import { request } from 'node:http'\nrequest('x')",
  "import * as http from 'node:http'\nhttp.get('x')",
  "import http from 'node:http'\nhttp.get('x')",
  "import http from 'http'\nhttp.get('x')",
  "import { request } from 'node:https'\nrequest('x')",
  "import { connect } from 'node:http2'\nconnect('x')",
  "import { connect } from 'node:net'\nconnect(1)",
  "import { connect } from 'node:tls'\nconnect(1)",
  "import { Server } from 'node:tls'\nnew Server()",
  "import { createSocket } from 'node:dgram'\ncreateSocket('udp4')",
  "import { lookup } from 'node:dns'\nlookup('x', () => {})",
  "import { resolve } from 'node:dns/promises'\nawait resolve('x')",
  "import { spawn } from 'node:child_process'\nspawn('curl')",
  "import { execFileSync } from 'node:child_process'\nexecFileSync('curl', ['http://x'])",
  "import cluster from 'node:cluster'\ncluster.fork()",
  "import { open } from 'node:inspector'\nopen(9229)",
  "import { Agent } from 'undici'\nnew Agent()",
  "export * from 'undici'",
  "const { request } = await import('node:https')\nrequest('x')",
  "import ipaddr from 'ipaddr.js'\nipaddr.parse('x')",
  "await fetch('http://x')",
  "await globalThis.fetch('http://x')",
  "const { fetch: call } = globalThis\nawait call('http://x')",
  "await global.fetch('http://x')",
  "new WebSocket('ws://x')",
  'new XMLHttpRequest()',
  "new EventSource('http://x')",
]

const RULES = /lint\/style\/(?:noRestrictedImports|noRestrictedGlobals|useNodejsImportProtocol)/
const folder = mkdtempSync(join(tmpdir(), 'pharos-lint-'))
after(() => rmSync(folder, { recursive: true }))
cpSync('biome.json', join(folder, 'biome.json'))

/** The snippets that the lint rejects in that folder. */
function refusedIn(path: string, suffix = '.ts'): Set<string | undefined> {
  mkdirSync(join(folder, path), { recursive: true })
  WAYS_OUT.forEach((code, at) => {
    writeFileSync(join(folder, path, `${at}${suffix}`), `${code}\n`)
  })
  const words = [
    join(process.cwd(), 'node_modules/@biomejs/biome/bin/biome'),
    'lint',
    '--vcs-enabled=false',
    '--colors=off',
    '--max-diagnostics=none',
    path,
  ]
  const { stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: folder,
    encoding: 'utf8',
  })
  const lines = `${stdout}${stderr}`.split('\n').filter((line) => RULES.test(line))
  return new Set(lines.map((line) => WAYS_OUT[Number(/(\d+)(?:\.test)?\.ts/.exec(line)?.[1])]))
}

const refused = refusedIn('src/connectors')
for (const code of WAYS_OUT)
  test(`outside egress the lint refuses: ${code.split('\n')[0]}`, () => {
    assert.ok(refused.has(code))
  })

test('inside egress and in tests the lint allows them', () => {
  assert.equal(refusedIn('src/egress').size, 1, 'only the import without node:')
  assert.equal(refusedIn('src/connectors/tests', '.test.ts').size, 1)
})

/** Ways to bypass an import. `Socket` may be imported as a type, which lint rules cannot distinguish from a value. */
const ROUNDABOUT =
  /getBuiltinModule|process\.(?:binding|dlopen)|new (?:\w+\.)?Socket\(|require\w*\(\s*['"`](?:node:|undici)|createRequire|node:vm|new Function\(|\beval\(|\beval: true|biome-ignore\S* (?:lint\/style\/noRestricted|lint:)/

/** Allowed lines per file, with the reason. */
const EXCEPTIONS: Record<string, string> = {
  // A CommonJS-only package with a literal name. It makes no calls.
  'text/language.ts': "createRequire(import.meta.url)('tinyld')",
  // The same, whose types are those of a browser.
  'sign-in/saml/xml.ts': "createRequire(import.meta.url)('@xmldom/xmldom')",
  // A list of passwords, read on first use by a function that returns at once. The name is a literal.
  'identity/passwords/password-policy.ts': "createRequire(import.meta.url)('@zxcvbn-ts/language-common')",
  // `gc` is available only in a new context, which runs only this literal.
  'engine/segment/released-memory.ts': "runInNewContext('gc')",
  // Parsers of untrusted files run in a process without permissions.
  'extract/process/child-process.ts': 'lint/style/noRestrictedImports: a process that may not even write',
  // A model that reads pictures takes its memory in a process of its own.
  'inference/ocr/process/child-process.ts': 'lint/style/noRestrictedImports: our own program, which reads pixels',
  // Only a separate process can abort the inspection of a database file.
  'store/sqlite/check-file-integrity.ts':
    'lint/style/noRestrictedImports: our own file, which opens one database and reaches no address',
  // A backup reads the whole record, in a process of its own.
  'app/parts/backup-process.ts': 'lint/style/noRestrictedImports: our own program, with the settings of the operator',
  // A CLI command calls the service at the address given by its user.
  'app/command-context.ts': 'lint/style/noRestrictedGlobals: the person at the terminal names the address',
  // A CLI command downloads one package, from the index that its user names, and checks its hash.
  'app/offline/add-model.ts': 'lint/style/noRestrictedGlobals: the person at the terminal asks for this file',
  // It deletes two globals, so that a thread has fewer ways out.
  'text/without-http-client.ts': 'lint/style/noRestrictedGlobals: removes a way out',
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.startsWith('egress/') && !file.includes('.test.'),
)

test('no file outside egress bypasses the lint, except the listed lines', () => {
  assert.ok(files.length > 50)
  const astray = files.filter((file) => ROUNDABOUT.test(readFileSync(`src/${file}`, 'utf8')))
  assert.deepEqual(astray.sort(), Object.keys(EXCEPTIONS).sort())
  for (const [file, line] of Object.entries(EXCEPTIONS)) {
    const rest = readFileSync(`src/${file}`, 'utf8')
      .split('\n')
      .filter((it) => ROUNDABOUT.test(it) && !it.includes(line) && !it.startsWith('import '))
    assert.deepEqual(rest, [], file)
  }
})

/** The packages of the program and whom each of them calls. */
const PACKAGES: Record<string, string> = {
  '@embedpdf/pdfium': 'nobody: its bytes are given to it',
  '@fastify/multipart': 'nobody',
  '@kenjiuno/decompressrtf': 'nobody',
  '@kenjiuno/msgreader': 'nobody',
  '@mantine/core': 'nobody: in the browser, where the policy of the page lets it call this address only',
  '@mantine/hooks': 'as @mantine/core',
  '@modelcontextprotocol/client': 'what src/egress has judged: it is given a `fetch` that leads there',
  '@modelcontextprotocol/server': 'nobody: it answers',
  '@node-saml/node-saml': 'nobody: it reads answers, and the browser carries its requests',
  '@simplewebauthn/server': 'nobody: it checks answers, and its way to the metadata of authenticators is not asked for',
  '@tanstack/react-query': 'as @mantine/core',
  '@tanstack/react-router': 'as @mantine/core',
  '@tanstack/react-virtual': 'as @mantine/core',
  '@xmldom/xmldom': 'nobody: it reads no external entities',
  '@zxcvbn-ts/language-common': 'nobody: it is a list',
  chardet: 'nobody',
  aws4fetch: 'nobody: only its signatures are used, and what is signed goes through src/egress',
  fastify: 'nobody: it listens',
  htmlparser2: 'nobody',
  'ipaddr.js': 'nobody',
  jose: 'as openid-client',
  kysely: 'nobody',
  ldapts: 'what src/egress has judged: it is given a connection that leads there',
  marked: 'nobody',
  'modern-tar': 'nobody',
  'multilingual-stemmer': 'nobody',
  nodemailer: 'the server of SMTP_URL, which the operator names; in src/mail only',
  'onnxruntime-node': 'nobody, because ORT_DISABLE_TELEMETRY is set: test/api/embedding.test.ts',
  openai:
    'the servers of EMBEDDING_URL and LLM_URL, which the operator names; of a provider that an administrator names, through src/egress; in src/inference only',
  'openid-client': 'what src/egress has judged: it is given a `fetch` that leads there',
  otpauth: 'nobody',
  papaparse: 'nobody: its way to addresses works in browsers, and is not asked for',
  'p-retry': 'nobody',
  pg: 'the server of DATABASE_URL, which the operator names; in src/store only',
  pino: 'nobody',
  'postal-mime': 'nobody',
  'react-dom': 'as @mantine/core',
  react: 'as @mantine/core',
  'rtf-stream-parser': 'nobody',
  'robots-parser': 'nobody',
  tinyld: 'nobody',
  uplot: 'as @mantine/core',
  uqr: 'nobody',
  'use-intl': 'as @mantine/core',
  undici: 'what src/egress has judged; in src/egress only',
  yauzl: 'nobody',
  zod: 'nobody',
}

test('every package is listed with whom it may call', () => {
  const names = ['package.json', 'web/package.json', 'start/package.json'].flatMap((it) => {
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(it, 'utf8'))
    return Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !name.startsWith('node-'))
  })
  assert.deepEqual([...new Set(names)].sort(), Object.keys(PACKAGES).sort())
  for (const [room, name] of [
    ['store', 'pg'],
    ['mail', 'nodemailer'],
    ['inference', 'openai'],
  ])
    for (const file of files.filter((it) => !it.startsWith(`${room}/`)))
      assert.doesNotMatch(readFileSync(`src/${file}`, 'utf8'), new RegExp(`from '${name}'`), file)
})
