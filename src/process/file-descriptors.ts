// The file descriptors of this process: the limit, the number in use, and the connections that fit.
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { AppError } from '../domain/errors.ts'
import type { Logger } from '../domain/logger.ts'
import { errorCode } from '../domain/values/node-error.ts'

export interface DescriptorUsage {
  limit: number
  open: number
}

/** Null if the limit is unknown or absent. */
export function readDescriptors(): DescriptorUsage | null {
  const limit = readLimit()
  if (limit === null) return null
  try {
    return { limit, open: readdirSync('/dev/fd').length }
  } catch {
    return null
  }
}

function readLimit(): number | null {
  // A diagnostic report works on every system but takes 40 ms. On Linux /proc is faster.
  const soft = readProcLimit() ?? readReportLimit()
  return soft === undefined || soft === 'unlimited' ? null : Number(soft)
}

function readProcLimit(): string | undefined {
  try {
    return /^Max open files +(\d+|unlimited) /m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

function readReportLimit(): number | 'unlimited' | undefined {
  // Without this setting the report resolves the host names of open connections.
  const report = Object.assign(process.report, { excludeNetwork: true })
  // Its type has no fields.
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | 'unlimited' } } }
  return userLimits?.open_files?.soft
}

/** Descriptors reserved for files, threads and outbound calls. The index alone opens several for each segment. */
const MIN_RESERVED = 64
const MAX_RESERVED = 1_024
const RESERVED_SHARE = 0.25
/** With fewer, nobody could check or stop the service. */
const MIN_CONNECTIONS = 4

/** Below this, two browsers and a few programs exhaust the connections. */
const LOW_CONNECTIONS = 64

/** The connection limit of this process. Logs a warning if it is low. */
export function maxConnections(logger: Logger): number | null {
  const descriptors = readDescriptors()
  const limitedTo = connectionLimit(descriptors)
  if (descriptors !== null && limitedTo !== null && limitedTo < LOW_CONNECTIONS) {
    const { limit } = descriptors
    logger.warn({ limit, connections: limitedTo }, 'connection limit low; raise ulimit -n')
  }
  return limitedTo
}

/** The number of connections that leaves enough descriptors for everything else; null for no limit. */
export function connectionLimit(descriptors: DescriptorUsage | null): number | null {
  if (descriptors === null) return null
  const { limit, open } = descriptors
  const reserved = Math.min(Math.max(MIN_RESERVED, limit * RESERVED_SHARE), MAX_RESERVED)
  return Math.max(MIN_CONNECTIONS, Math.floor(limit - open - reserved))
}

/** Throws OUT_OF_FILES if no descriptor is free. */
export function checkDescriptors(): void {
  try {
    closeSync(openSync(import.meta.filename, 'r'))
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EMFILE' || code === 'ENFILE') throw new AppError('OUT_OF_FILES', {}, { cause: error })
    throw error
  }
}
