// Detects damage of the database file by SQLite errors in use and by one check of the whole file.
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'
import { errorMessage } from '../../domain/values/node-error.ts'
import { resultCode } from './error-codes.ts'

/** Malformed database, or not a database. */
const DAMAGE_CODES = new Set([11, 26])

export const isDamageCode = (errcode: number): boolean => DAMAGE_CODES.has(errcode & 0xff)

/** Runs the step and converts a damage error to RECORD_DAMAGED, which names the remedy. */
export function withDamageError<T>(step: () => T): T {
  try {
    return step()
  } catch (error) {
    const code = resultCode(error)
    if (code === undefined || !isDamageCode(code)) throw error
    throw recordDamaged(errorMessage(error), error)
  }
}

export const recordDamaged = (reason: string, cause?: unknown): AppError =>
  new AppError('RECORD_DAMAGED', { reason }, { cause })

export interface DamageTracker {
  /** The first reason stays, because a file does not repair itself. */
  note(reason: string): void
  /** Returns the message, or null. */
  found(): string | null
  /** Throws RECORD_DAMAGED. */
  check(): void
}

export function createDamageTracker(logger?: Logger): DamageTracker {
  let found: AppError | undefined
  return {
    note(reason) {
      if (found !== undefined) return
      found = recordDamaged(reason)
      logger?.error({ reason }, found.message)
    },
    found: () => found?.message ?? null,
    check() {
      if (found !== undefined) throw found
    },
  }
}
