// Rules for packages: few of them, with licences that a company may use, pinned by hash.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { licencesMarkdown, productionPackages } from '../docs/licences.ts'

const ALLOWED = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
  '(MIT AND Zlib)',
  'MIT OR Apache-2.0',
  '(MIT OR CC0-1.0)',
])
/**
 * Includes the packages of the pages, which run in the browser. A dozen are the official client and server of the Model
 * Context Protocol with their dependencies.
 */
const MAX_PACKAGES = 226
/** Packages that are abandoned or known not to work. */
const BANNED = ['ip', 'xlsx', 'vm2', 'request', 'node-serialize', 'adm-zip', 'unzipper', 'private-ip']
/** Packages that need a banned one only in an install script, which never runs here. */
const HARMLESS: Record<string, string[]> = { 'adm-zip': ['node_modules/onnxruntime-node'] }

/** The program, its workspaces, and the links to these. */
const OURS = ['', 'web', 'start', 'node_modules/pharos-web', 'node_modules/pharos-binaries']

const lockfile = readFileSync('package-lock.json', 'utf8')
const packages = productionPackages(lockfile)

test('every runtime package has a permitted licence', () => {
  assert.deepEqual(
    packages.filter((it) => !ALLOWED.has(it.licence)),
    [],
  )
})

test(`there are at most ${MAX_PACKAGES} runtime packages`, () => {
  assert.ok(packages.length > 10 && packages.length <= MAX_PACKAGES, `there are ${packages.length}`)
})

test('docs/licences.md lists the runtime packages', () => {
  assert.equal(readFileSync('docs/licences.md', 'utf8'), licencesMarkdown(packages), 'run npm run generate')
})

test('no banned package is installed, even indirectly', () => {
  const all = Object.entries<{ dependencies?: Record<string, string> }>(JSON.parse(lockfile).packages)
  for (const name of BANNED) {
    const askers = all.filter(([, it]) => it.dependencies?.[name] !== undefined).map(([path]) => path)
    assert.deepEqual([name, askers], [name, HARMLESS[name] ?? []])
  }
})

test('every version is exact, and every package has an integrity hash', () => {
  for (const file of ['package.json', 'web/package.json', 'start/package.json']) {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync(file, 'utf8'))
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
      assert.match(String(version), /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, `${name} is not pinned`)
    }
  }
  const locked = Object.entries<{ integrity?: string; resolved?: string }>(JSON.parse(lockfile).packages)
  for (const [path, { integrity, resolved }] of locked) {
    if (OURS.includes(path)) continue
    assert.match(String(integrity), /^sha512-/, `${path} has no hash`)
    assert.ok(resolved === undefined || resolved.startsWith('https://registry.npmjs.org/'), `${path}: ${resolved}`)
  }
})

test('npm installs only versions that are at least a week old', () => {
  // The rule is not in .npmrc, because there it would also refuse locked packages, and a fresh clone could not install.
  assert.match(
    JSON.parse(readFileSync('package.json', 'utf8')).scripts.add,
    /(?=.*--min-release-age=7\b)(?=.*--save-exact)(?=.*--ignore-scripts)/,
  )
})
