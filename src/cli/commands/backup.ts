import { defineCommand, JSON_OPTION, onePositional } from '../command.ts'
import type { BackupReport } from '../context.ts'
import { EXIT } from '../exit-code.ts'
import { showProgress } from '../show-progress.ts'
import { formatBytes, type Terminal } from '../terminal.ts'

export const backup = defineCommand({
  name: 'backup',
  summary: 'Writes the record and all files into one file. The service may be running.',
  usage: 'FILE [options]',
  positionals: onePositional,
  options: {
    json: JSON_OPTION,
    'with-keys': { type: 'boolean', help: 'include the secret key and the administrator key' },
  },
  help: `Reads DATA_DIR and DATABASE_URL from the environment, as the service does. The backup contains everything accepted
before it starts. The file is read back and checked before it gets its name, and it never overwrites another file. It is
a gzipped tar that can be restored into SQLite and PostgreSQL, regardless of its origin. It does not contain the index,
which is rebuilt from the record.

Stored secrets stay encrypted in the backup. Without --with-keys, nobody can decrypt them with the file alone, and a
restore also needs DATA_DIR/secret-key (or SECRET_KEY): keep that in another place. With --with-keys, the file contains
everything, so protect it like the service itself. Documents are readable in both cases.

  pharos backup /backups/pharos-$(date +%F).tar.gz
  pharos restore /backups/pharos-2026-11-21.tar.gz --check`,
  async run({ terminal, openOffline, pathOf }, { values, positionals: file }) {
    const offline = await openOffline()
    const backedUp = await showProgress(terminal, 'backup', (onProgress) =>
      offline.backup(pathOf(file), { withKeys: values['with-keys'] === true, onProgress }),
    )
    if (values.json === true) terminal.json(backedUp)
    else terminal.print(`${backedUp.path}: ${formatBytes(backedUp.bytes)}, checked. ${describeBackup(backedUp)}`)
    warnOfLostBlobs(backedUp, terminal)
    return backedUp.lost_blobs.length === 0 ? 0 : EXIT.data
  },
})

export function describeBackup({
  tables,
  blobs,
  schema,
  made_at,
  database,
  holds_keys,
  version,
}: BackupReport): string {
  const documents = (tables.document ?? 0).toLocaleString('en')
  const keys = holds_keys ? 'with its keys' : 'without keys'
  return `${documents} documents and ${blobs.toLocaleString('en')} files of ${made_at}, schema ${schema} (${database}, version ${version}), ${keys}.`
}

export function warnOfLostBlobs({ lost_blobs }: BackupReport, terminal: Terminal): void {
  if (lost_blobs.length === 0) return
  terminal.note(`${lost_blobs.length} uploaded files were damaged or missing and are not in the backup:`)
  for (const it of lost_blobs.slice(0, 20)) terminal.note(`  ${it}`)
}
