// That nothing but src/egress can reach an address: the lint rules bite, and what they cannot see is looked for here.
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
  "import { createSocket } from 'node:dgram'\ncreateSocket('udp4')",
  "import { resolve } from 'node:dns/promises'\nawait resolve('x')",
  "import { spawn } from 'node:child_process'\nspawn('curl')",
  "import { Agent } from 'undici'\nnew Agent()",
  "export * from 'undici'",
  "const { request } = await import('node:https')\nrequest('x')",
  "import ipaddr from 'ipaddr.js'\nipaddr.parse('x')",
  "await fetch('http://x')",
  "await globalThis.fetch('http://x')",
  "const { fetch: call } = globalThis\nawait call('http://x')",
  "new WebSocket('ws://x')",
  "new EventSource('http://x')",
]

const RULES = /lint\/style\/(?:noRestrictedImports|noRestrictedGlobals|useNodejsImportProtocol)/
const folder = mkdtempSync(join(tmpdir(), 'pharos-lint-'))
after(() => rmSync(folder, { recursive: true }))
cpSync('biome.json', join(folder, 'biome.json'))

/** The lines that a rule of ours refuses when all ways out lie in that folder, one a file. */
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

test('inside egress, and in tests, it does not', () => {
  assert.equal(refusedIn('src/egress').size, 1, 'only the import without node:')
  assert.equal(refusedIn('src/connectors/tests', '.test.ts').size, 1)
})

/** Ways round an import. `Socket` may be imported for its type, and no lint rule tells a type from a value. */
const ROUNDABOUT = /getBuiltinModule|process\.binding|new (?:\w+\.)?Socket\(|require\w*\(\s*['"`](?:node:|undici)/

test('no file outside egress takes a roundabout way', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('egress/') && !file.includes('.test.'),
  )
  assert.ok(files.length > 50)
  for (const file of files) assert.doesNotMatch(readFileSync(`src/${file}`, 'utf8'), ROUNDABOUT, file)
})
