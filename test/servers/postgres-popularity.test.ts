// Counts of clicks and links over PostgreSQL.
import { after, before } from 'node:test'
import type { Database } from '../../src/store/database/database.ts'
import { testPopularity } from '../popularity-cases.ts'
import { open } from './open-postgres.ts'
import { onPostgres } from './start-postgres.ts'

await onPostgres((server) => {
  let db: Database
  before(async () => {
    db = await open(await server.createDatabase())
  })
  after(async () => {
    await db.close()
  })
  testPopularity(() => db)
})
