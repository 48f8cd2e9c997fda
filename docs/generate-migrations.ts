// sql/migrations.json: the hash of each migration, in the order in which they came to main. One that stands there never
// changes; a new one is added at the end.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMigrations } from '../src/store/database/migrations.ts'

const SQL = join(import.meta.dirname, '../sql')
export const migrationsPath = join(SQL, 'migrations.json')

/** Throws when a listed migration is another one now, or is gone. */
export function migrationHashes(listed: Record<string, string> = JSON.parse(readFileSync(migrationsPath, 'utf8'))) {
  const found = Object.fromEntries(
    ['postgres', 'sqlite'].flatMap((folder) =>
      readMigrations(join(SQL, folder)).map(({ name, sha256 }) => [`${folder}/${name}`, sha256]),
    ),
  )
  const changed = Object.keys(listed).filter((it) => found[it] !== listed[it])
  if (changed.length > 0) {
    throw new Error(
      `A migration that databases have never changes; write a new file instead of changing sql/${changed.join(', sql/')}. ` +
        'If it was never on main, take its line out of sql/migrations.json and run "npm run generate" again.',
    )
  }
  return { ...listed, ...found }
}
