// Runs the unit tests beside the sources in few processes: to start a process costs more than most of these files do.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A file that measures or changes its process, replaces a part of the language, or has hooks around each test. */
const NEEDS_OWN_PROCESS = /\bprocess\.|\bglobalThis\b|\bmock\.|\.prototype\.|\b(before|beforeEach|afterEach)\(/

/** The same tests in fewer files: the file of a group loads files of unit tests. */
export function groupUnitTests(files: readonly string[], groups: number): string[] {
  const shared = files.filter((it) => it.startsWith('src/') && !NEEDS_OWN_PROCESS.test(readFileSync(it, 'utf8')))
  if (shared.length <= groups) return [...files]
  const folder = mkdtempSync(join(tmpdir(), 'pharos-unit-tests-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const grouped = Array.from({ length: groups }, (_, group) => {
    const path = join(folder, `src-${group + 1}-of-${groups}.mjs`)
    writeFileSync(path, groupSource(shared.filter((_, index) => index % groups === group)))
    return path
  })
  return [...files.filter((it) => !shared.includes(it)), ...grouped]
}

/**
 * One after the other; a file that cannot be loaded is a test that fails. No test begins before all files are loaded:
 * otherwise the tests of one could end while the next prepares its database, and the hooks at the end would close it.
 */
const groupSource = (files: readonly string[]): string =>
  [
    "import { test } from 'node:test'",
    'const loaded = Promise.withResolvers()',
    "test('the files are loaded', () => loaded.promise)",
    'const alive = setInterval(() => {}, 60_000)',
    ...files.map((it) => {
      const url = pathToFileURL(resolve(it)).href
      const fail = `(error) => test(${JSON.stringify(it)}, () => { throw error })`
      return `await import(${JSON.stringify(url)}).catch(${fail})`
    }),
    'clearInterval(alive)',
    'loaded.resolve()',
    '',
  ].join('\n')
