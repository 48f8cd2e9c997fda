import { command, JSON_OPTION } from './command.ts'
import type { LostSecret } from './context.ts'
import { EXIT } from './exit-code.ts'
import { table } from './terminal.ts'

export const secrets = command({
  name: 'secrets',
  summary: 'Lists the stored secrets whose key is lost, and gives them up when told to.',
  usage: '[--give-up] [options]',
  words: { min: 0, max: 0 },
  options: {
    json: JSON_OPTION,
    'give-up': { type: 'boolean', help: 'put nothing in the place of every secret that no key here opens' },
  },
  help: `The service does not start beside secrets that it has no key for. If you have the key, start with it as
SECRET_KEY_PREVIOUS or as a line of DATA_DIR/secret-key: nothing is lost then. If it is lost for good, this command is
the way on. It takes DATA_DIR, DATABASE_URL, SECRET_KEY and SECRET_KEY_PREVIOUS from the environment, as the service
does; the service must be stopped, and so must every other one on the same PostgreSQL.

Without --give-up it changes nothing, and ends with 65 when a secret is lost. With it the secrets of all that it lists
are gone, and nothing brings them back: credentials stay and are empty, tools lose their headers and are switched off,
webhooks get a new secret and are paused, so that nothing is called without the secret that it needs; OAuth
configurations lose their client secret, and people connect their accounts anew; providers of language models are asked
no more. Each has an entry in the audit. Documents, and secrets that a key here opens, stay as they are. Make a backup
first.

  pharos secrets
  pharos secrets --give-up`,
  async run({ terminal, offline }, { values }) {
    const isGivingUp = values['give-up'] === true
    const lost = isGivingUp ? await offline.giveUpSecrets() : await offline.lostSecrets()
    if (values.json === true) terminal.json({ lost, given_up: isGivingUp })
    else for (const line of lines(lost, isGivingUp)) terminal.say(line)
    return lost.length > 0 && !isGivingUp ? EXIT.data : 0
  },
})

function lines(lost: readonly LostSecret[], isGivenUp: boolean): string[] {
  if (lost.length === 0) return ['The keys that are here open every secret.']
  const rows = lost.map((it) => [it.kind, it.id, it.name, it.kid])
  const head = isGivenUp ? 'Given up, and to be entered anew:' : 'No key that is here opens these secrets:'
  const way = isGivenUp
    ? 'The service can start now. Enter a secret anew by changing what it belongs to.'
    : 'Start with their key as SECRET_KEY_PREVIOUS. If it is lost for good, "pharos secrets --give-up" goes on without them.'
  return [head, '', table(['kind', 'id', 'name', 'key'], rows), '', way]
}
