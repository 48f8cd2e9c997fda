// Clients that public generators make of our description compile, and their calls get the expected responses.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { start } from '../api/setup.ts'
import { needs, PYTHON_CLIENT, TYPESCRIPT_CLIENT } from '../needs.ts'

const TIMEOUT_MS = 600_000

/** The output is beside the packages of the generator, so that it can import them. */
function folderIn(place: string): string {
  const folder = mkdtempSync(join(place, 'run-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Returns the output. A failure shows all of it. */
function run(cwd: string, program: string, ...words: string[]): string {
  try {
    return execFileSync(program, words, { cwd, encoding: 'utf8', stdio: 'pipe', timeout: TIMEOUT_MS })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string } // What execFileSync throws has both.
    assert.fail(`${program} ${words.join(' ')}\n${stdout}\n${stderr}`)
  }
}

test('openapi-typescript: the types compile under --strict, and eleven calls succeed', {
  ...needs('typescript-client'),
  timeout: TIMEOUT_MS,
}, async () => {
  const { server, ok } = await start()
  const folder = folderIn(TYPESCRIPT_CLIENT)
  const bin = (name: string) => join(TYPESCRIPT_CLIENT, 'node_modules/.bin', name)
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(await ok('GET', '/openapi.json')))
  run(folder, bin('openapi-typescript'), 'openapi.json', '--output', 'api.ts')
  copyFileSync(join(import.meta.dirname, 'ten-calls.ts.txt'), join(folder, 'ten-calls.mts'))
  const options = ['--strict', '--noUncheckedIndexedAccess', '--skipLibCheck', '--rewriteRelativeImportExtensions']
  const target = ['--target', 'es2024', '--module', 'nodenext', '--lib', 'es2024,dom', '--types', 'node']
  run(folder, bin('tsc'), ...options, ...target, 'ten-calls.mts')
  assert.equal(run(folder, process.execPath, 'ten-calls.mjs', server.url, server.key).trim(), 'eleven calls')
})

test('openapi-python-client: every operation and every model can be imported, and eleven calls succeed', {
  ...needs('python-client'),
  timeout: TIMEOUT_MS,
}, async () => {
  const { server, ok } = await start()
  const folder = folderIn(PYTHON_CLIENT)
  const bin = (name: string) => join(PYTHON_CLIENT, 'bin', name)
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(await ok('GET', '/openapi.json')))
  const said = run(folder, bin('openapi-python-client'), 'generate', '--path', 'openapi.json', '--output-path', 'made')
  assert.doesNotMatch(said, /Endpoint will not be generated|Unable to process schema/)
  run(folder, bin('python'), '-m', 'compileall', '-q', 'made')
  copyFileSync(join(import.meta.dirname, 'ten_calls.py'), join(folder, 'made/ten_calls.py'))
  assert.equal(run(join(folder, 'made'), bin('python'), 'ten_calls.py', server.url, server.key).trim(), 'eleven calls')
})
