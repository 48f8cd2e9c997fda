// Removes the access of other users from files in the data folder that earlier versions or its creator left open.
import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface PermissionChanges {
  /** The number of files and folders whose permissions were restricted. */
  closedCount: number
  /** Paths that are still open, because they belong to another user or could not be changed. */
  stillOpen: string[]
}

/** The files of Pharos; others in the folder are not touched. */
const OWN_FILES =
  /^(?:\.writable|admin-api-key|backups|before-upgrade|blobs|first-admin-link|index|lock|pharos\.db|record\.json|secret-key|set-aside|spool)(?:$|[-.])/
const OTHER_USERS = 0o077
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/**
 * To be called before SQLite opens a file in the folder, because closing a file releases all locks of the process on it.
 * The folder itself is restricted if it belongs to this user and holds only files of Pharos.
 */
export function restrictFolder(folder: string): PermissionChanges {
  const result: PermissionChanges = { closedCount: 0, stillOpen: [] }
  if (process.platform === 'win32') return result
  const names = readdirSync(folder)
  const { mode, uid } = statSync(folder)
  if ((mode & OTHER_USERS) !== 0) {
    const isOwn = uid === process.geteuid?.() && names.every((it) => OWN_FILES.test(it))
    if (!isOwn || !changeMode(folder, FOLDER_MODE, 0)) result.stillOpen.push(folder)
    else result.closedCount++
  }
  for (const name of names.filter((it) => OWN_FILES.test(it))) restrictPath(join(folder, name), result)
  return result
}

/** Skips the content of folders that are already closed. Never changes the target of a symbolic link. */
function restrictPath(path: string, result: PermissionChanges): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (found.isSymbolicLink()) {
    if (isTargetOpen(path)) result.stillOpen.push(path)
    return
  }
  if ((found.mode & OTHER_USERS) === 0 || !(found.isFile() || found.isDirectory())) return
  const isClosed = changeMode(path, found.isDirectory() ? FOLDER_MODE : FILE_MODE, constants.O_NOFOLLOW)
  if (isClosed) result.closedCount++
  else result.stillOpen.push(path)
  // Top down: once the folder is closed, no other user can change its content in the meantime.
  if (found.isDirectory() && isClosed) for (const name of readdirSync(path)) restrictPath(join(path, name), result)
}

function isTargetOpen(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && (found.mode & OTHER_USERS) !== 0
}

/** Changes the mode through the open file, so that the file cannot be swapped in between. */
function changeMode(path: string, mode: number, flags: number): boolean {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags)
  } catch {
    return false
  }
  try {
    fchmodSync(file, mode)
    return (fstatSync(file).mode & OTHER_USERS) === 0
  } catch {
    return false
  } finally {
    closeSync(file)
  }
}
