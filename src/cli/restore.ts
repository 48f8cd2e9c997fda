import { contents, warnOfLoss } from './backup.ts'
import { command, JSON_OPTION } from './command.ts'
import { follow } from './follow.ts'

export const restore = command({
  name: 'restore',
  summary: 'Makes the record anew from a backup.',
  usage: 'FILE [options]',
  words: { min: 1, max: 1 },
  options: {
    json: JSON_OPTION,
    check: { type: 'boolean', help: 'only read and check the backup, and say what is in it' },
    replace: { type: 'boolean', help: 'set aside the record that is there, and put the backup in its place' },
  },
  help: `Takes DATA_DIR and DATABASE_URL from the environment, as the service does; the service must be stopped. The backup is
checked as a whole before anything changes, and brought to the schema of this program. All or nothing: whenever it is
interrupted, the old record is there or the new one. The next start fills the index from it and says so.

A backup without keys needs the key that its secrets were sealed with: put the old DATA_DIR/secret-key in its place, or
set SECRET_KEY, before the first start.

  DATA_DIR=/srv/pharos pharos restore /backups/pharos.tar.gz
  DATABASE_URL=postgres://… pharos restore /backups/pharos.tar.gz     moves it to PostgreSQL`,
  async run({ terminal, offline, pathOf }, { values, words }) {
    const path = pathOf(words[0]!)
    if (values.check === true) {
      const found = await follow(terminal, 'restore', (onProgress) => offline.checkBackup(path, onProgress))
      if (values.json === true) terminal.json(found)
      else terminal.say(`${path}: whole and readable. ${contents(found)}`)
      warnOfLoss(found, terminal)
      return 0
    }
    const done = await follow(terminal, 'restore', (onProgress) =>
      offline.restore(path, { replace: values.replace === true, onProgress }),
    )
    if (values.json === true) terminal.json(done)
    else terminal.say(`${done.place} now holds ${contents(done)}`)
    if (done.aside !== null) terminal.note(`What was there before is kept as ${done.aside}.`)
    for (const it of done.otherKeys) terminal.note(`DATA_DIR has another ${it} than the backup, and keeps it.`)
    if (!done.holds_keys)
      terminal.note('Stored secrets open only with the secret key of the service that was backed up.')
    warnOfLoss(done, terminal)
    return 0
  },
})
