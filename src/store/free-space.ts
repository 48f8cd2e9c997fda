// Is there room on the disk? Looked at now and then, so that no write has to ask the file system.
import { statfs } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../domain/errors.ts'
import type { Logger } from '../domain/logger.ts'

export interface FreeSpace {
  state(): DiskState
  /** Throws DISK_LOW while there is too little room to take documents or files. */
  check(): void
  /** Looks again and again until the signal. Never rejects. */
  watch(signal: AbortSignal): Promise<void>
}

export interface DiskState {
  state: 'ok' | 'low'
  free_mb: number
  /** What is kept free; 0 for nothing. */
  min_free_mb: number
}

interface Settings {
  folder: string
  /** Null for as much as fits the disk. */
  minFreeMb: number | null
  logger: Logger
}

const LOOK_EVERY_MS = 1_000
/** What a merge of a large index may need for a while. */
const DEFAULT_MB = 512
const DEFAULT_SHARE = 0.02
/** Writes come back only when there is so much more, else they would come and go with every file. */
const BACK_AT = 1.25
const MB = 2 ** 20

export async function watchFreeSpace({ folder, minFreeMb, logger }: Settings): Promise<FreeSpace> {
  let current: DiskState = { state: 'ok', free_mb: 0, min_free_mb: 0 }
  const look = async () => {
    const { bavail, blocks, bsize } = await statfs(folder)
    const bound = minFreeMb ?? Math.min(DEFAULT_MB, (DEFAULT_SHARE * blocks * bsize) / MB)
    const free = (bavail * bsize) / MB
    const isLow = free < (current.state === 'low' ? bound * BACK_AT : bound)
    const next: DiskState = { state: isLow ? 'low' : 'ok', free_mb: round(free), min_free_mb: round(bound) }
    if (next.state !== current.state) tell(logger, next)
    current = next
  }
  await look()
  return {
    state: () => current,
    check() {
      const { state, free_mb, min_free_mb } = current
      if (state === 'low') throw new AppError('DISK_LOW', { free: free_mb, bound: min_free_mb })
    },
    async watch(signal) {
      while (!signal.aborted) {
        await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
        await look().catch((error: unknown) => logger.warn({ err: error }, 'the free space of the disk is not known'))
      }
    },
  }
}

/** Disks of a few megabytes exist in tests. */
const round = (mb: number): number => (mb < 10 ? Math.round(mb * 100) / 100 : Math.round(mb))

function tell(logger: Logger, state: DiskState): void {
  if (state.state === 'low') logger.warn(state, 'the disk is nearly full: no documents or files are taken')
  else logger.info(state, 'the disk has room again')
}
