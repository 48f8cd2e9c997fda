import { CommandError, defineCommand, JSON_OPTION, noPositionals } from '../command.ts'
import type { CommandContext, RecordInspection } from '../context.ts'
import { EXIT } from '../exit-code.ts'

export const record = defineCommand({
  name: 'record',
  summary: 'Checks the record for missing or damaged data, accepts a loss, or moves the record away.',
  usage: '[--accept-loss | --set-aside] [options]',
  positionals: noPositionals,
  options: {
    json: JSON_OPTION,
    'accept-loss': { type: 'boolean', help: 'accept the current record as complete' },
    'set-aside': { type: 'boolean', help: 'move the record in DATA_DIR into a folder there' },
  },
  help: `DATA_DIR/record.json identifies the record and stores how much of it has reached the disk. The service uses it to detect
a database that was emptied, deleted, replaced or truncated: it does not start, or it serves the remaining data and
/health/ready returns 503. Reads DATA_DIR and DATABASE_URL from the environment, as the service does.

Without options, the command changes nothing and can run while the service runs. It compares the record with record.json,
checks pharos.db for damage, and exits with 65 if something is wrong. With an option, the service must be stopped.

--accept-loss    Accepts the current record as complete, and /health/ready returns 200 again. If the database is gone,
                 the next start creates a new one with the remaining keys and files.
--set-aside      Moves the database, its keys, files and index into DATA_DIR/set-aside-…, so that the next start creates
                 a new service. Keeps the administrator key, and does not touch a database in DATABASE_URL.

To recover all data, restore a backup: "pharos restore FILE --replace". To recover some of it, accept the loss and send
the missing documents again; connectors do so automatically.

  pharos record
  pharos record --accept-loss`,
  async run(context, { values }) {
    const isJson = values.json === true
    const isAccepting = values['accept-loss'] === true
    if (isAccepting && values['set-aside'] === true)
      throw new CommandError(EXIT.usage, '--accept-loss and --set-aside cannot be combined.')
    if (isAccepting) return acceptLoss(context, isJson)
    return values['set-aside'] === true ? setAside(context, isJson) : inspect(context, isJson)
  },
})

async function inspect({ terminal, openOffline }: CommandContext, isJson: boolean) {
  const it = await (await openOffline()).inspectRecord()
  if (isJson) terminal.json(it)
  else terminal.print(describeRecord(it))
  return it.state === 'ok' || it.state === 'none' ? 0 : EXIT.data
}

function describeRecord({ state, reason, place, record }: RecordInspection): string {
  if (reason !== null) return reason
  if (state === 'none' || record === null) return `There is no record yet at ${place}.`
  return `${place} is complete: document changes: ${record.changes}, no known damage.`
}

async function acceptLoss({ terminal, openOffline }: CommandContext, isJson: boolean) {
  const { accepted, startsFresh, aside } = await (await openOffline()).acceptLoss()
  if (isJson) terminal.json({ accepted, begins_anew: startsFresh, aside })
  else if (startsFresh) terminal.print('The next start creates a new record with the remaining keys and files.')
  else if (accepted.length === 0) terminal.print('The record is complete, so there is nothing to accept.')
  else terminal.print(['Accepted:', ...accepted.map((it) => `  ${it}`), 'The service can be started now.'].join('\n'))
  for (const it of aside) terminal.note(`The remains of the database are kept as ${it}.`)
  return 0 as const
}

async function setAside({ terminal, openOffline }: CommandContext, isJson: boolean) {
  const { folder, moved } = await (await openOffline()).setRecordAside()
  if (isJson) terminal.json({ folder, moved })
  else if (moved.length === 0) terminal.print('DATA_DIR contains no record.')
  else
    terminal.print(
      `Moved to ${folder}: ${moved.join(', ')}. The next start creates a new service. To undo this, move them back.`,
    )
  return 0 as const
}
