import { defineCommand, JSON_OPTION, onePositional } from '../command.ts'
import { showProgress } from '../show-progress.ts'
import { describeBackup, warnOfLostBlobs } from './backup.ts'

export const restore = defineCommand({
  name: 'restore',
  summary: 'Restores the record from a backup.',
  usage: 'FILE [options]',
  positionals: onePositional,
  options: {
    json: JSON_OPTION,
    check: { type: 'boolean', help: 'only check the backup and print its contents' },
    replace: { type: 'boolean', help: 'move the existing record aside and replace it' },
  },
  help: `Reads DATA_DIR and DATABASE_URL from the environment, as the service does. The service must be stopped. The backup is
checked completely before anything changes, and is migrated to the schema of this program. The restore is atomic: after
an interruption, either the old or the new record exists. The next start rebuilds the index.

A backup without keys needs the key that encrypted its secrets: put the old secret-key file into DATA_DIR or set
SECRET_KEY before the first start.

  DATA_DIR=/srv/pharos pharos restore /backups/pharos.tar.gz
  DATABASE_URL=postgres://… pharos restore /backups/pharos.tar.gz     moves it to PostgreSQL`,
  async run({ terminal, openOffline, pathOf }, { values, positionals: file }) {
    const path = pathOf(file)
    const offline = await openOffline()
    if (values.check === true) {
      const found = await showProgress(terminal, 'restore', (onProgress) => offline.checkBackup(path, onProgress))
      if (values.json === true) terminal.json(found)
      else terminal.print(`${path}: complete and readable. ${describeBackup(found)}`)
      warnOfLostBlobs(found, terminal)
      return 0
    }
    const done = await showProgress(terminal, 'restore', (onProgress) =>
      offline.restore(path, { replace: values.replace === true, onProgress }),
    )
    if (values.json === true) terminal.json(done)
    else terminal.print(`${done.place} now holds ${describeBackup(done)}`)
    if (done.aside !== null) terminal.note(`The previous record is kept as ${done.aside}.`)
    for (const it of done.otherKeys)
      terminal.note(`DATA_DIR contains a different ${it} than the backup. It was not replaced.`)
    if (!done.holds_keys)
      terminal.note('Stored secrets can be decrypted only with the secret key of the original service.')
    warnOfLostBlobs(done, terminal)
    return 0
  },
})
