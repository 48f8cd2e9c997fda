// Measures the free disk space periodically, so that no write has to ask the file system.
import { statfsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import type { DiskSpace } from '../../domain/samples/sample.ts'
import { createLoop } from '../../flow/background-loop.ts'

export interface FreeSpaceMonitor {
  state(): DiskState
  space(): DiskSpace
  /** Throws DISK_LOW while there is too little space to accept documents or files. */
  check(): void
  /** Measures repeatedly until the signal aborts. Never rejects. */
  watch(signal: AbortSignal): Promise<void>
}

export interface DiskState {
  state: 'ok' | 'low'
  free_mb: number
  /** Space to keep free in MB; 0 for none. */
  min_free_mb: number
}

interface FreeSpaceSettings {
  folder: string
  /** Null for a default that depends on the size of the disk. */
  minFreeMb: number | null
  logger: Logger
}

const MEASURE_EVERY_MS = 1_000
/** A merge of a large index may need this much for a while. */
const DEFAULT_MIN_FREE_MB = 512
const DEFAULT_MIN_FREE_SHARE = 0.02
/** Writes resume only above this multiple of the limit; otherwise they would toggle with every file. */
const RESUME_FACTOR = 1.25
const BYTES_PER_MB = 2 ** 20

export async function openFreeSpaceMonitor({
  folder,
  minFreeMb,
  logger,
}: FreeSpaceSettings): Promise<FreeSpaceMonitor> {
  let current: DiskState = { state: 'ok', free_mb: 0, min_free_mb: 0 }
  let space: DiskSpace = { used_bytes: 0, free_bytes: 0 }
  const measure = async () => {
    const { bavail, bfree, blocks, bsize } = await statfs(folder)
    const minFree = minFreeMb ?? Math.min(DEFAULT_MIN_FREE_MB, (DEFAULT_MIN_FREE_SHARE * blocks * bsize) / BYTES_PER_MB)
    const free = (bavail * bsize) / BYTES_PER_MB
    space = { used_bytes: (blocks - bfree) * bsize, free_bytes: bavail * bsize }
    const isLow = free < (current.state === 'low' ? minFree * RESUME_FACTOR : minFree)
    const next: DiskState = { state: isLow ? 'low' : 'ok', free_mb: roundMb(free), min_free_mb: roundMb(minFree) }
    if (next.state !== current.state) logStateChange(logger, next)
    current = next
  }
  await measure()
  const round = async () => {
    await measure()
    return MEASURE_EVERY_MS
  }
  const loop = createLoop(round, {
    startAfterMs: MEASURE_EVERY_MS,
    retryMs: MEASURE_EVERY_MS,
    onError: (error) => logger.warn({ err: error }, 'disk space check failed'),
  })
  return {
    state: () => current,
    space: () => space,
    check() {
      const { state, free_mb, min_free_mb } = current
      if (state === 'low') throw new AppError('DISK_LOW', { free: free_mb, bound: min_free_mb })
    },
    watch: loop.run,
  }
}

/** Tests use disks of a few megabytes. */
const roundMb = (mb: number): number => (mb < 10 ? Math.round(mb * 100) / 100 : Math.round(mb))

function logStateChange(logger: Logger, state: DiskState): void {
  if (state.state === 'low') logger.warn(state, 'disk nearly full; documents and files are refused')
  else logger.info(state, 'disk space available again')
}

/** Null when the system does not tell. */
export function freeBytesIn(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return null
  }
}
