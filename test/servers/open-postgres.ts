import type { Database } from '../../src/store/database/database.ts'
import { openPostgres } from '../../src/store/postgres/open-postgres.ts'

export const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const onFatal = (error: Error) => {
  throw error
}

export const open = (url: string): Promise<Database> => openPostgres({ url, failpoint: null, onFatal, logger: quiet })
