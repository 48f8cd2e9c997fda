// `npm start` runs this on any Node ≥ 18: it installs missing dependencies, then starts src/main.ts on the pinned Node.
//   node start.mjs [args]                     the program
//   node start.mjs run FILE.ts [args]         a script of the repository
//   node start.mjs run --bin NAME [args]      a command of a dependency
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { exitCodeOf, run, stopping, stopSignal, wasUp } from './start/child.mjs'
import { installMissing, modules, platform, readStamp } from './start/install.mjs'
import { explained, say, seconds, timed } from './start/output.mjs'

// The oldest patch that may run, for each release with security fixes. The packages of Node contain these.
const OLDEST_NODE = ['24.21.0', '26.10.0']
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
// While 60,000 documents were indexed, a small young generation saved 160 of 815 MB and cost no time. A limit of the heap's
// growth to half between two collections saved 100 to 200 MB more and cost less than 1 % of the searches.
// A thread that has become idle collects garbage, which needs --expose-gc: src/flow/collect-when-idle.ts.
// npm makes no links between packages, so none is followed: that saves a twentieth of a start.
// ONNX Runtime would report its use to its maker over HTTPS, and keep a database for that in the home folder.
// glibc keeps freed memory for each thread, so there are two pools in total, and large blocks come from the system.
const nodeStart = JSON.parse(fs.readFileSync(join(root, 'node-start.json'), 'utf8'))

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (!stopSignal) say(error.isExplained ? error.message : error.stack)
  process.exitCode = stopSignal ? exitCodeOf(stopSignal) : 1
}

async function main(args) {
  if (args.length === 0 || args[0] === 'serve') return serve(args)
  const isProgram = args[0] !== 'run'
  await installMissing(isProgram ? 'program' : 'everything')
  if (isProgram) return script('src/main.ts', ...args)
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
    const isChanged = await prepare()
    if (isChanged) say('Starting Pharos …')
    return await script('src/main.ts', ...args)
  } catch (error) {
    if (isFirst || stopSignal || !error.isExplained) throw error
    say(error.message)
    return 1
  }
}

/** Returns true if packages or pages were missing. */
async function prepare() {
  const builder = join(root, 'web/build.mjs')
  const pages = fs.existsSync(builder) ? await import(pathToFileURL(builder)) : undefined
  if (!pages || pages.isBuilt()) return installMissing('program')
  // The repository contains the built pages. Only changed sources are built, and that needs more packages.
  if (!pages.isPacked()) {
    await installMissing('everything')
    await buildPages(builder)
    return true
  }
  // Both at once: npm mostly waits for the network and the disk.
  await Promise.all([installMissing('program'), pages.unpack()])
  return true
}

/** Builds the pages once for each state of their sources. Without pages the service runs and reports it on request. */
async function buildPages(builder) {
  say('Building the pages, because their sources changed. This is done once …')
  const { result: code, tookMs } = await timed(() => script(builder))
  if (code === 0) say(`Built in ${seconds(tookMs)} s.`)
  else if (!stopSignal) say('The pages could not be built; the error is above. The rest of the service starts.')
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
