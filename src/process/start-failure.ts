// Describes why the service did not start, how to fix it, and the exit code.
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, type ExitCode } from '../cli/exit-code.ts'
import { AppError } from '../domain/errors.ts'
import { EgressError } from '../egress/egress.ts'

export interface StartFailure {
  code: ExitCode
  message: string
}

interface StartSettings {
  dataDir: string
  host?: string
  port?: number
}

export function describeStartFailure(error: unknown, settings: StartSettings | undefined): StartFailure {
  if (error instanceof EgressError) return { code: EXIT.config, message: error.message }
  if (error instanceof AppError) return { code: exitCodeOf(error), message: error.message }
  const known = settings && (listenFailure(error, settings) ?? diskFailure(error, settings))
  if (known !== undefined) return known
  return { code: EXIT.software, message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

/** A database that is unreachable or in standby may be available at the next start. */
function exitCodeOf({ code, cause }: AppError): ExitCode {
  if (code === 'DATA_IN_USE') return EXIT.tryAgain
  if (code === 'STORE_FULL') return EXIT.ioError
  const isAway = code === 'STORE_UNAVAILABLE' || (code === 'STORE_UNFIT' && cause instanceof AppError)
  return isAway ? EXIT.unavailable : EXIT.config
}

function listenFailure(error: unknown, { host, port }: StartSettings): StartFailure | undefined {
  if (errorProperty(error, 'syscall') !== 'listen') return undefined
  const why: Record<string, string> = {
    EADDRINUSE: `another program listens on port ${port} of ${host}. Stop it, or set PORT to another number`,
    EACCES: `this user may not listen on port ${port}. Set PORT to a number above 1023`,
    EADDRNOTAVAIL: `this machine has no address ${host}. Set HOST to one that it has, or to 127.0.0.1`,
  }
  const reason = why[String(errorProperty(error, 'code'))]
  return reason === undefined
    ? undefined
    : { code: EXIT.config, message: `The service cannot listen: ${reason}, and start again.` }
}

const SQLITE_READ_ONLY = 8
const SQLITE_IO = 10
const SQLITE_FULL = 13
const SQLITE_CANNOT_OPEN = 14

/** SQLite does not report why it cannot open or write a file, so the folder is probed. */
function diskFailure(error: unknown, { dataDir }: StartSettings): StartFailure | undefined {
  const sqlite = Number(errorProperty(error, 'errcode') ?? 0) & 0xff
  const isSqlite = [SQLITE_READ_ONLY, SQLITE_IO, SQLITE_FULL, SQLITE_CANNOT_OPEN].includes(sqlite)
  const own = String(errorProperty(error, 'code') ?? '')
  if (!isSqlite && !(own in REASONS)) return undefined
  const code = own in REASONS ? own : (probeFolder(dataDir) ?? (sqlite === SQLITE_FULL ? 'ENOSPC' : undefined))
  const [exit, reason] = (code && REASONS[code]) || [EXIT.ioError, 'files in it cannot be opened or written']
  const what = code === 'ENOSPC' && hasNoInodes(dataDir) ? 'no inodes are left on its disk: remove files there' : reason
  const detail = error instanceof Error ? ` (${error.message})` : ''
  return { code: exit, message: `DATA_DIR ${dataDir} cannot be used: ${what}, and start again${detail}.` }
}

const DISK_FULL = 'its disk is full: free some space, or set DATA_DIR to a folder on another disk'
const NOT_WRITABLE = 'this user may not write there: change the owner of the folder, or set DATA_DIR to another folder'
const NO_DESCRIPTORS = 'the process has no file descriptors left: raise the limit with "ulimit -n"'
const REASONS: Record<string, readonly [ExitCode, string]> = {
  ENOSPC: [EXIT.ioError, DISK_FULL],
  EDQUOT: [EXIT.ioError, DISK_FULL],
  EIO: [EXIT.ioError, 'its disk reports errors: check the system log'],
  EROFS: [EXIT.config, 'its file system is read-only: mount it for writing, or set DATA_DIR to another folder'],
  EACCES: [EXIT.config, NOT_WRITABLE],
  EPERM: [EXIT.config, NOT_WRITABLE],
  EMFILE: [EXIT.config, NO_DESCRIPTORS],
  ENFILE: [EXIT.config, NO_DESCRIPTORS],
}

const PROBE_BYTES = 65_536

/** The error code of a test write, if it fails. */
function probeFolder(folder: string): string | undefined {
  const path = join(folder, '.writable-probe')
  try {
    writeFileSync(path, Buffer.alloc(PROBE_BYTES), { flush: true })
    return undefined
  } catch (error) {
    return String(errorProperty(error, 'code'))
  } finally {
    rmSync(path, { force: true })
  }
}

function hasNoInodes(folder: string): boolean {
  try {
    const { files, ffree } = statfsSync(folder)
    return files > 0 && ffree === 0
  } catch {
    return false
  }
}

/** Reads a property of the error or of one of its causes. */
function errorProperty(error: unknown, name: 'code' | 'errcode' | 'syscall'): unknown {
  for (let it = error, depth = 0; it instanceof Error && depth < 5; it = it.cause, depth++) {
    if (name in it) return Reflect.get(it, name)
  }
  return undefined
}
