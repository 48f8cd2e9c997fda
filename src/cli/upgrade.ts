import { command, JSON_OPTION } from './command.ts'
import type { Upgrade } from './context.ts'
import { EXIT } from './exit-code.ts'
import { duration } from './progress.ts'
import { bytes } from './terminal.ts'

export const upgrade = command({
  name: 'upgrade',
  summary: 'Brings the database to the schema of this program, or says what that would mean.',
  usage: '[--check] [options]',
  words: { min: 0, max: 0 },
  options: {
    json: JSON_OPTION,
    check: { type: 'boolean', help: 'change nothing, only say what would happen' },
  },
  help: `Every start does this by itself; the command is for doing it at a time of your choice. Before it changes a database
file it copies it to DATA_DIR/before-upgrade, and keeps the last two copies. PostgreSQL is yours to back up: use
"pharos backup". To go back, stop the service, put the copy in the place of DATA_DIR/pharos.db, and start the older
program.

With --check it ends with 0 when the upgrade can be done, and 75 when there is no room for it.

  pharos upgrade --check`,
  async run({ terminal, offline }, { values }) {
    const isCheck = values.check === true
    const it = isCheck ? await offline.inspectUpgrade() : await offline.upgrade()
    if (values.json === true) terminal.json({ ...it, has_room: hasRoom(it) })
    else terminal.say((isCheck ? plan(it) : done(it)).join('\n'))
    return isCheck && !hasRoom(it) ? EXIT.tryAgain : 0
  },
})

const isCurrent = ({ current, target }: Upgrade) => current === target

/** The copy, and the log of the migration, which rewrites the database at worst. */
const neededBytes = (it: Upgrade) =>
  isCurrent(it) || it.current === 0 ? 0 : (it.copy === null ? 1 : 2) * it.databaseBytes
const hasRoom = (it: Upgrade) => it.freeBytes === null || it.freeBytes > neededBytes(it)

function plan(it: Upgrade): string[] {
  return [
    `Pharos ${it.version}: the database (${it.database}) has schema ${it.current}, this program has ${it.target}.`,
    ...(isCurrent(it) ? ['Nothing is to be migrated.'] : migrationPlan(it)),
    it.rebuild === null ? 'The index stays.' : `The index is filled anew at the next start: ${it.rebuild}.`,
  ]
}

function migrationPlan(it: Upgrade): string[] {
  const lines = ['These would be applied, each as a whole or not at all:', ...it.migrations.map((file) => `  ${file}`)]
  if (it.current === 0) return lines
  const room =
    it.freeBytes === null ? '' : `, of ${bytes(it.freeBytes)} free${hasRoom(it) ? '' : ': that is too little'}`
  return [
    ...lines,
    it.copy === null ? 'The database is not copied: make a backup first.' : `Before that it is copied to ${it.copy}.`,
    `Room needed: up to ${bytes(neededBytes(it))}${room}. Time: about ${duration(it.estimatedSeconds * 1_000)}.`,
  ]
}

const done = (it: Upgrade): string[] => [
  isCurrent(it)
    ? `The database has schema ${it.target} already.`
    : `The database has schema ${it.target} now, it had ${it.current}.${it.copy === null ? '' : ` A copy of it as it was is ${it.copy}.`}`,
]
