// A lock with one holder at a time, across processes and crashes.
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { attempt, remove } from './attempt.mjs'
import { stopSignal } from './child.mjs'
import { explained, say } from './output.mjs'

const HEARTBEAT_MS = 1_000
const SILENT_MS = Number(process.env.START_SILENT_MS ?? 15_000)

/**
 * The lock is a folder with one file that is named after the holder, and the holder touches it every second. A process
 * takes the lock by renaming a prepared folder to its name, or from a dead holder by renaming the file. If several
 * processes try, one succeeds.
 */
export async function lock(folder) {
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

function host() {
  return hostname().replace(/[^\w.-]/g, '-')
}
