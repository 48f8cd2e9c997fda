import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { selectRows } from './select-rows.ts'

const QuickCheck = z.object({ quick_check: z.string() })

/** Reads the whole database. Returns `ok` or descriptions of its first damage. */
export const runQuickCheck = (db: DatabaseSync): string[] =>
  selectRows(db, QuickCheck, 'PRAGMA quick_check(1)').map((it) => it.quick_check)
