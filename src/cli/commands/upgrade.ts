import { defineCommand, JSON_OPTION, noPositionals } from '../command.ts'
import type { UpgradePlan } from '../context.ts'
import { EXIT } from '../exit-code.ts'
import { formatDuration } from '../progress.ts'
import { formatBytes } from '../terminal.ts'

export const upgrade = defineCommand({
  name: 'upgrade',
  summary: 'Migrates the database to the schema of this program, or shows what that would do.',
  usage: '[--check] [options]',
  positionals: noPositionals,
  options: {
    json: JSON_OPTION,
    check: { type: 'boolean', help: 'only show what would happen' },
  },
  help: `Every start migrates the database automatically; this command does it at a time of your choice. Before it changes a
database file, it copies the file to DATA_DIR/before-upgrade and keeps the last two copies. It does not copy a PostgreSQL
database: use "pharos backup". To go back, stop the service, replace DATA_DIR/pharos.db with the copy and start the older
program.

With --check, it exits with 0 if the upgrade is possible and with 75 if there is not enough space.

  pharos upgrade --check`,
  async run({ terminal, openOffline }, { values }) {
    const isCheck = values.check === true
    const offline = await openOffline()
    const it = isCheck ? await offline.inspectUpgrade() : await offline.upgrade()
    if (values.json === true) terminal.json({ ...it, has_room: hasRoom(it) })
    else terminal.print((isCheck ? formatPlan(it) : formatDone(it)).join('\n'))
    return isCheck && !hasRoom(it) ? EXIT.tryAgain : 0
  },
})

const isCurrent = ({ migrations }: UpgradePlan) => migrations.length === 0

/** Space for the copy and for the migration log, which can reach the size of the database. */
const neededBytes = (it: UpgradePlan) =>
  isCurrent(it) || it.current === 0 ? 0 : (it.copy === null ? 1 : 2) * it.databaseBytes
const hasRoom = (it: UpgradePlan) => it.freeBytes === null || it.freeBytes > neededBytes(it)

function formatPlan(it: UpgradePlan): string[] {
  return [
    `Pharos ${it.version}: the database (${it.database}) has schema ${it.current}, this program has ${it.target}.`,
    ...(isCurrent(it) ? ['No migration is pending.'] : migrationPlan(it)),
    it.rebuild === null ? 'The index is kept.' : `The next start rebuilds the index: ${it.rebuild}.`,
  ]
}

function migrationPlan(it: UpgradePlan): string[] {
  const lines = ['Pending migrations, each of which is atomic:', ...it.migrations.map((file) => `  ${file}`)]
  if (it.current === 0) return lines
  const room = it.freeBytes === null ? '' : `, of ${formatBytes(it.freeBytes)} free${hasRoom(it) ? '' : ': not enough'}`
  return [
    ...lines,
    it.copy === null
      ? 'The database is not copied. Make a backup first.'
      : `The database is first copied to ${it.copy}.`,
    `Space needed: up to ${formatBytes(neededBytes(it))}${room}. Time: about ${formatDuration(it.estimatedSeconds * 1_000)}.`,
  ]
}

const formatDone = (it: UpgradePlan): string[] => [
  isCurrent(it)
    ? `The database already has schema ${it.target}.`
    : `The database was migrated from schema ${it.current} to ${it.target}.${it.copy === null ? '' : ` The previous version is kept as ${it.copy}.`}`,
]
