// start.mjs by what it does: real processes in a folder of their own, with an npm that writes down how it was called.
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
// Answers as `npm ci` would, or fails, or takes long: what the file beside it says.
const NPM = `#!/bin/sh
echo "$*" >> "$NPM_LOG"
case "$(cat "$NPM_LOG.mode" 2>/dev/null)" in
  fail) echo 'npm error code E404'; exit 3 ;;
  slow) sleep 1 ;;
  hang) exec sleep 10 ;;
esac
mkdir -p node_modules/dependency && cp package-lock.json node_modules/dependency/
`

interface Place {
  folder: string
  /** How often npm was called. */
  calls(): number
  npm(mode: 'work' | 'fail' | 'slow' | 'hang'): void
  write(file: string, text: string): void
  start(...args: string[]): Run
  env: Record<string, string>
}

interface Run {
  process: ChildProcess
  output(): string
  /** Its exit code, or the name of the signal that ended start.mjs itself. */
  ended: Promise<number | NodeJS.Signals>
  /** The pid of the program below start.mjs, once it says that it is ready. */
  ready(): Promise<number>
}

test('installs what is missing, once, and hands the arguments on', async () => {
  const place = prepare()
  const first = place.start('exit', '0', 'two words')
  assert.equal(await first.ended, 0)
  assert.match(first.output(), /Installing .*Installed in .*\["exit","0","two words"\]/s)
  assert.equal(await place.start('exit', '0').ended, 0)
  assert.equal(place.calls(), 1)
  assert.deepEqual(readdirSync(join(place.folder, '.cache')), [])
})

// As web/build.mjs: says whether there is something to do, and does it when it is run.
const BUILDER = `
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
const me = fileURLToPath(import.meta.url)
export const isBuilt = () => fs.existsSync(me + '.built')
if (process.argv[1] === me) {
  console.log('building')
  if (fs.existsSync(me + '.broken')) throw new Error('no such component')
  fs.writeFileSync(me + '.built', '')
}
`

test('builds the pages before the service, once, and for nothing else', async () => {
  const place = prepare()
  place.write('web/build.mjs', BUILDER)
  const other = place.start('exit', '0')
  await other.ended
  assert.doesNotMatch(other.output(), /building/)
  const first = place.start()
  assert.equal(await first.ended, 0)
  assert.match(first.output(), /Building the pages.*building.*Built in .*ready/s)
  const second = place.start()
  await second.ended
  assert.doesNotMatch(second.output(), /building/i)
})

test('pages that cannot be built do not keep the service from starting', async () => {
  const place = prepare()
  place.write('web/build.mjs', BUILDER)
  place.write('web/build.mjs.broken', '')
  const run = place.start()
  assert.equal(await run.ended, 0)
  assert.match(run.output(), /no such component.*The pages could not be built.*ready/s)
})

test('installs again when the lock file changed', async () => {
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

test('the old node_modules stays when npm fails, and the message says what to do', async () => {
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

test('two at once install once', async () => {
  const place = prepare()
  place.npm('slow')
  const runs = [place.start('exit', '0'), place.start('exit', '0'), place.start('exit', '0')]
  assert.deepEqual(await Promise.all(runs.map((it) => it.ended)), [0, 0, 0])
  assert.equal(place.calls(), 1)
  assert.equal(runs.filter((it) => /Waiting for process \d+/.test(it.output())).length, 2)
})

test('the lock of a start that was killed is taken over, by one of those that wait', async () => {
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

test('a pid that now belongs to another process does not hold the lock forever', async () => {
  const place = prepare()
  // Nobody touches the file of this holder; its pid is ours, so it runs.
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

test('without npm the message says what is missing', async () => {
  const place = prepare()
  place.env.PATH = place.folder
  const run = place.start()
  assert.equal(await run.ended, 1)
  assert.match(run.output(), /npm could not be run .*Install Node\.js with npm/)
})

test('the exit code of the program is the exit code', async () => {
  const place = prepare()
  assert.equal(await place.start('exit', '42').ended, 42)
})

test('a program that a signal ended gives 128 and the signal', async () => {
  const place = prepare()
  const run = place.start('plain')
  process.kill(await run.ready(), 'SIGKILL')
  assert.equal(await run.ended, 137)
})

test('SIGTERM twice ends the program once, in its own time', async () => {
  const place = prepare()
  const run = place.start('serve')
  const pid = await run.ready()
  run.process.kill('SIGTERM')
  run.process.kill('SIGTERM')
  assert.equal(await run.ended, 7)
  assert.equal(run.output().match(/bye/g)?.length, 1)
  assert.throws(() => process.kill(pid, 0))
})

test('a program that ignores SIGTERM is killed after the grace', async () => {
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

test('a start that is killed takes the program with it', async () => {
  const place = prepare()
  const run = place.start('serve')
  const pid = await run.ready()
  run.process.kill('SIGKILL')
  assert.equal(await run.ended, 'SIGKILL')
  await waitFor(() => !isRunning(pid), 'the end of the program')
})

test('npm start ends with its program on SIGTERM', async () => {
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

test('the Node that npm brought runs the program', async () => {
  const place = prepare()
  const pinned = `node-${process.platform === 'darwin' ? 'bin-' : ''}${process.platform}-${process.arch}/bin/node`
  // It calls itself 24 and says that it was there.
  const script = `#!/bin/sh\necho "v24 pinned"\n[ "$1" = --version ] || exec "${process.execPath}" "$@"\n`
  place.write('pinned', script)
  const binary = `node_modules/${pinned}`
  place.write('npm-extra', `mkdir -p $(dirname ${binary}) && cp ../../pinned ${binary} && chmod +x ${binary}\n`)
  const npm = join(place.folder, 'bin/npm')
  place.write('bin/npm', `${readFileSync(npm, 'utf8')}. ../../npm-extra\n`)
  const run = place.start('exit', '0')
  assert.equal(await run.ended, 0)
  assert.match(run.output(), process.platform === 'darwin' ? /ready/ : /v24 pinned\nready/)
})

test('run takes a file of the repository, from any folder', async () => {
  const place = prepare()
  place.write('tool.ts', 'const answer: string = process.argv[2]!\nconsole.log(answer, process.cwd())')
  const run = place.start('run', 'tool.ts', 'an answer')
  assert.equal(await run.ended, 0)
  assert.ok(run.output().endsWith(`an answer ${place.folder}\n`))
})

test('run --bin takes a command that a package brings', async () => {
  const place = prepare()
  await place.start('exit', '0').ended
  place.write('node_modules/.package-lock.json', '{"packages":{"node_modules/tool":{"bin":{"hello":"bin/hello.js"}}}}')
  place.write('node_modules/tool/bin/hello.js', 'console.log("hello", process.argv[2])')
  const run = place.start('run', '--bin', 'hello', 'you')
  assert.equal(await run.ended, 0)
  assert.match(run.output(), /hello you/)
  const unknown = place.start('run', '--bin', 'nothing')
  assert.equal(await unknown.ended, 1)
  assert.match(unknown.output(), /No installed package brings a command "nothing"/)
})

test('a real npm installs a real package', async () => {
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

test('start.mjs looks for the Nodes that package.json asks for', () => {
  const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const table = [...readFileSync('start.mjs', 'utf8').matchAll(/'(node-[\w-]+)\/bin\/node/g)].map((match) => match[1])
  const nodes = Object.keys(optionalDependencies).filter((name) => name.startsWith('node-'))
  assert.deepEqual(table.sort(), nodes.sort())
})

function prepare(): Place {
  // The name has a space: a checkout may have one.
  const folder = mkdtempSync(join(tmpdir(), 'pharos start-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const inFolder = (file: string, text: string) => write(join(folder, file), text)
  for (const file of ['start.mjs', 'node-start.json']) copyFileSync(file, join(folder, file))
  inFolder('package.json', '{"name":"place"}')
  inFolder('package-lock.json', '{}')
  inFolder('src/main.ts', MAIN)
  inFolder('bin/npm', NPM)
  chmodSync(join(folder, 'bin/npm'), 0o755)
  const log = join(folder, 'npm.log')
  const env: Record<string, string> = {
    PATH: `${join(folder, 'bin')}:${REAL_PATH}`,
    HOME: process.env.HOME ?? folder,
    NPM_LOG: log,
  }
  return {
    folder,
    env,
    write: inFolder,
    calls: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0),
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
