import { defineCommand, JSON_OPTION, noPositionals } from '../command.ts'
import type { UndecryptableSecret } from '../context.ts'
import { EXIT } from '../exit-code.ts'
import { formatTable } from '../terminal.ts'

export const secrets = defineCommand({
  name: 'secrets',
  summary: 'Lists stored secrets that no available key decrypts, and discards them with --give-up.',
  usage: '[--give-up] [options]',
  positionals: noPositionals,
  options: {
    json: JSON_OPTION,
    'give-up': { type: 'boolean', help: 'discard all secrets that no available key decrypts' },
  },
  help: `The service does not start if it lacks the key of a stored secret. If you have the key, start with it in
SECRET_KEY_PREVIOUS or add it as a line to DATA_DIR/secret-key, and nothing is lost. If the key is lost for good, use
this command. It reads DATA_DIR, DATABASE_URL, SECRET_KEY and SECRET_KEY_PREVIOUS from the environment, as the service
does. The service must be stopped, and so must every other service on the same PostgreSQL database.

Without --give-up, the command changes nothing and exits with 65 if a secret is lost. With it, the listed secrets are
deleted permanently: credentials stay but are empty, tools lose their headers and are disabled, webhooks get a new secret
and are paused, OAuth configurations lose their client secret and people must connect their accounts again, and language
model providers are no longer used. Each change has an entry in the audit log. Documents and other secrets stay as they
are. Make a backup first.

  pharos secrets
  pharos secrets --give-up`,
  async run({ terminal, openOffline }, { values }) {
    const isGivingUp = values['give-up'] === true
    const offline = await openOffline()
    const lost = isGivingUp ? await offline.discardUndecryptableSecrets() : await offline.listUndecryptableSecrets()
    if (values.json === true) terminal.json({ lost, given_up: isGivingUp })
    else for (const line of formatSecrets(lost, isGivingUp)) terminal.print(line)
    return lost.length > 0 && !isGivingUp ? EXIT.data : 0
  },
})

function formatSecrets(lost: readonly UndecryptableSecret[], isGivenUp: boolean): string[] {
  if (lost.length === 0) return ['The available keys decrypt every secret.']
  const rows = lost.map((it) => [it.kind, it.id, it.name, it.kid])
  const head = isGivenUp ? 'Discarded; enter these secrets again:' : 'No available key decrypts these secrets:'
  const way = isGivenUp
    ? 'The service can start now. Enter each secret again where it is used.'
    : 'Start with their key in SECRET_KEY_PREVIOUS. If it is lost for good, discard them with "pharos secrets --give-up".'
  return [head, '', formatTable(['kind', 'id', 'name', 'key'], rows), '', way]
}
