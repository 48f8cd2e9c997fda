import { command, JSON_OPTION } from './command.ts'
import type { Backup } from './context.ts'
import { EXIT } from './exit-code.ts'
import { follow } from './follow.ts'
import { bytes, type Terminal } from './terminal.ts'

export const backup = command({
  name: 'backup',
  summary: 'Writes the record and all files into one file, while the service runs or not.',
  usage: 'FILE [options]',
  words: { min: 1, max: 1 },
  options: {
    json: JSON_OPTION,
    'with-keys': { type: 'boolean', help: 'put the secret key and the administrator key in, too' },
  },
  help: `Takes DATA_DIR and DATABASE_URL from the environment, as the service does. Everything accepted before it begins is
in it. The file is read back and checked before it gets its name, and never overwrites another one. It is a gzipped tar
and restores into SQLite and PostgreSQL alike, whichever it came from; the index is not in it, as it follows the record.

Stored secrets are in it as they are stored: sealed. Without --with-keys a thief of the file opens none of them, and you
need DATA_DIR/secret-key (or SECRET_KEY) beside it: keep that in another place. With --with-keys the file is all one
needs, so guard it like the service itself. Documents are readable in both.

  pharos backup /backups/pharos-$(date +%F).tar.gz
  pharos restore /backups/pharos-2026-11-21.tar.gz --check`,
  async run({ terminal, offline, pathOf }, { values, words }) {
    const made = await follow(terminal, 'backup', (onProgress) =>
      offline.backup(pathOf(words[0]!), { withKeys: values['with-keys'] === true, onProgress }),
    )
    if (values.json === true) terminal.json(made)
    else terminal.say(`${made.path}: ${bytes(made.bytes)}, checked. ${contents(made)}`)
    warnOfLoss(made, terminal)
    return made.lost_blobs.length === 0 ? 0 : EXIT.data
  },
})

export function contents({ tables, blobs, schema, made_at, database, holds_keys, version }: Backup): string {
  const documents = (tables.document ?? 0).toLocaleString('en')
  const keys = holds_keys ? 'with its keys' : 'without keys'
  return `${documents} documents and ${blobs.toLocaleString('en')} files of ${made_at}, schema ${schema} (${database}, version ${version}), ${keys}.`
}

export function warnOfLoss({ lost_blobs }: Backup, terminal: Terminal): void {
  if (lost_blobs.length === 0) return
  terminal.note(`${lost_blobs.length} uploaded files were damaged or missing when it was made, and are not in it:`)
  for (const it of lost_blobs.slice(0, 20)) terminal.note(`  ${it}`)
}
