import type { Api } from '../client/api.ts'
import { deleteAdminApiKeyApiKeyId, getAdminApiKey, postAdminApiKey } from '../client/operations.ts'
import type { ApiKeyArgs, ApiKeyDescriptor } from '../client/schemas.ts'
import { CommandError, command, ONLINE_OPTIONS, oneOf, wholeNumber } from './command.ts'
import type { Context } from './context.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { table } from './terminal.ts'

const ROLES = ['admin', 'curator', 'basic', 'limited'] as const
const SCOPES = ['ingest', 'search', 'chat', 'connectors', 'tools', 'admin'] as const
const PAGE = 1_000

export const key = command({
  name: 'key',
  summary: 'Lists, makes and revokes API keys.',
  usage: 'list | create | revoke ID [options]',
  words: { min: 1, max: 2 },
  options: {
    ...ONLINE_OPTIONS,
    name: { type: 'string', value: 'NAME', help: 'create: what it is for' },
    role: { type: 'string', value: 'ROLE', help: `create: ${ROLES.join(', ')} (basic)` },
    scope: {
      type: 'string',
      multiple: true,
      value: 'SCOPE',
      help: `create: narrows it: ${SCOPES.join(', ')}; may be given again`,
    },
    email: { type: 'string', value: 'EMAIL', help: 'create: the person whose documents it sees' },
    days: { type: 'string', value: 'N', help: 'create: ends after so many days; without it never' },
  },
  help: `A new key is printed once, on the standard output, and kept nowhere.

  pharos key create --name crawler --role limited --scope ingest --days 90
  pharos key list
  pharos key revoke 7`,
  run(context, { values, words }) {
    const [what, id] = words
    if ((what === 'revoke') !== (id !== undefined)) throw wrong()
    const { api } = context.connect(values)
    const isJson = values.json === true
    if (what === 'list') return list(context, api, isJson)
    if (what === 'create') return create(context, api, isJson, argsOf(values))
    if (what === 'revoke') return revoke(context, api, isJson, id!)
    throw wrong()
  },
})

const wrong = () =>
  new CommandError(EXIT.usage, 'Usage: pharos key list | create | revoke ID\n"pharos help key" says more.')

function argsOf(values: { name?: string; role?: string; scope?: string[]; email?: string; days?: string }): ApiKeyArgs {
  return {
    name: values.name,
    role: oneOf(values.role, 'role', ROLES),
    scopes: values.scope?.map((it) => oneOf(it, 'scope', SCOPES)!),
    user_email: values.email,
    expiration_days: wholeNumber(values.days, 'days', { min: 1, max: 36_500 }),
  }
}

async function list({ terminal, signal }: Context, api: Api, isJson: boolean): Promise<ExitCode> {
  const keys: ApiKeyDescriptor[] = []
  for (let page: ApiKeyDescriptor[] | undefined; page === undefined || page.length === PAGE; ) {
    page = await getAdminApiKey(api, { limit: PAGE, after: keys.at(-1)?.api_key_id, signal })
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
  else terminal.say(table(head, rows))
  return 0
}

const day = (time: string | null) => time?.slice(0, 10) ?? ''

async function create({ terminal, signal }: Context, api: Api, isJson: boolean, body: ApiKeyArgs): Promise<ExitCode> {
  const made = await postAdminApiKey(api, { body, signal })
  if (isJson) terminal.json(made)
  else {
    terminal.say(made.api_key ?? '')
    terminal.note(
      `Key ${made.api_key_id}, role ${made.api_key_role}. It is not shown again; "pharos key revoke ${made.api_key_id}" ends it.`,
    )
  }
  return 0
}

async function revoke({ terminal, signal }: Context, api: Api, isJson: boolean, id: string): Promise<ExitCode> {
  if (!/^\d+$/.test(id)) throw new CommandError(EXIT.usage, `"${id}" is no id of a key. "pharos key list" shows them.`)
  await deleteAdminApiKeyApiKeyId(api, { api_key_id: Number(id), signal })
  if (isJson) terminal.json({ revoked: Number(id) })
  else terminal.note(`Key ${id} is revoked, and so are the tokens that were made with it.`)
  return 0
}
