import type { Api } from '../../client/api.ts'
import { createApiKey, deleteApiKey, listApiKeys } from '../../client/operations.ts'
import type { ApiKeyArgs, ApiKeyDescriptor } from '../../client/schemas.ts'
import { ROLES } from '../../domain/subject.ts'
import { CommandError, defineCommand, parseChoice, parseWholeNumber, SERVICE_OPTIONS } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { formatTable } from '../terminal.ts'

const SCOPES = ['ingest', 'search', 'chat', 'connectors', 'tools', 'admin', 'metrics'] as const
const PAGE_SIZE = 1_000

export const key = defineCommand({
  name: 'key',
  summary: 'Lists, creates and revokes API keys.',
  usage: 'list | create | revoke ID [options]',
  positionals: (given) => (given.length === 1 || given.length === 2 ? given : undefined),
  options: {
    ...SERVICE_OPTIONS,
    name: { type: 'string', value: 'NAME', help: 'create: name of the key' },
    role: { type: 'string', value: 'ROLE', help: `create: ${ROLES.join(', ')} (basic)` },
    scope: {
      type: 'string',
      multiple: true,
      value: 'SCOPE',
      help: `create: scope: ${SCOPES.join(', ')}; can be repeated`,
    },
    email: {
      type: 'string',
      value: 'EMAIL',
      help: 'create: e-mail address of the person whose documents the key can read',
    },
    days: { type: 'string', value: 'N', help: 'create: number of days until the key expires (default: never)' },
  },
  help: `A new key is printed once on standard output and is not stored.

  pharos key create --name crawler --role limited --scope ingest --days 90
  pharos key create --name prometheus --role limited --scope metrics
  pharos key list
  pharos key revoke 7`,
  run(context, { values, positionals }) {
    const [action, id] = positionals
    if ((action === 'revoke') !== (id !== undefined)) throw usageError()
    const { api } = context.connect(values)
    const isJson = values.json === true
    if (action === 'list') return listKeys(context, api, isJson)
    if (action === 'create') return createKey(context, api, isJson, apiKeyArgs(values))
    if (id !== undefined) return revokeKey(context, api, isJson, id)
    throw usageError()
  },
})

const usageError = () =>
  new CommandError(EXIT.usage, 'Usage: pharos key list | create | revoke ID\nSee "pharos help key".')

function apiKeyArgs(values: {
  name?: string
  role?: string
  scope?: string[]
  email?: string
  days?: string
}): ApiKeyArgs {
  return {
    name: values.name,
    role: values.role === undefined ? undefined : parseChoice(values.role, 'role', ROLES),
    scopes: values.scope?.map((it) => parseChoice(it, 'scope', SCOPES)),
    user_email: values.email,
    expiration_days: parseWholeNumber(values.days, 'days', { min: 1, max: 36_500 }),
  }
}

async function listKeys({ terminal, signal }: CommandContext, api: Api, isJson: boolean): Promise<ExitCode> {
  const keys: ApiKeyDescriptor[] = []
  for (let page: ApiKeyDescriptor[] | undefined; page === undefined || page.length === PAGE_SIZE; ) {
    page = await listApiKeys(api, { limit: PAGE_SIZE, after: keys.at(-1)?.api_key_id, signal })
    keys.push(...page)
  }
  const rows = keys.map((it) => [
    it.api_key_id,
    it.api_key_name ?? '',
    it.api_key_role,
    it.scopes?.join(' ') ?? '',
    it.user_email ?? '',
    it.api_key_display,
    day(it.created_at),
    day(it.last_used_at),
    day(it.expires_at),
  ])
  const head = ['id', 'name', 'role', 'scopes', 'person', 'key', 'made', 'last used', 'ends']
  if (isJson) terminal.json(keys)
  else terminal.print(formatTable(head, rows))
  return 0
}

const day = (time: string | null) => time?.slice(0, 10) ?? ''

async function createKey(
  { terminal, signal }: CommandContext,
  api: Api,
  isJson: boolean,
  body: ApiKeyArgs,
): Promise<ExitCode> {
  const made = await createApiKey(api, { body, signal })
  if (isJson) terminal.json(made)
  else {
    terminal.print(made.api_key ?? '')
    terminal.note(
      `Key ${made.api_key_id}, role ${made.api_key_role}. It is not shown again. Revoke it with "pharos key revoke ${made.api_key_id}".`,
    )
  }
  return 0
}

async function revokeKey(
  { terminal, signal }: CommandContext,
  api: Api,
  isJson: boolean,
  id: string,
): Promise<ExitCode> {
  if (!/^\d+$/.test(id))
    throw new CommandError(EXIT.usage, `"${id}" is not the id of a key. "pharos key list" lists the ids.`)
  await deleteApiKey(api, { api_key_id: Number(id), signal })
  if (isJson) terminal.json({ revoked: Number(id) })
  else terminal.note(`Key ${id} and the tokens created with it are revoked.`)
  return 0
}
