import type { Selectable } from 'kysely'
import { AppError } from '../domain/errors.ts'
import type { Page } from '../domain/page.ts'
import type { Subject } from '../domain/subject.ts'
import { type Header, maskHeaders, type ToolSnapshot } from '../domain/tool.ts'
import type { Queries } from './database.ts'
import type { SecretBox } from './secret-box.ts'
import type { ToolRow } from './tables.ts'

export type StoredTool = Selectable<ToolRow>
/** With the name of the OAuth configuration, where it has one. */
type NamedTool = StoredTool & { oauth_config_name: string | null }
interface Store {
  db: Queries
  secrets: SecretBox
}

/**
 * `mcpServers`: those whose tools the subject may see. One of another server, or of somebody else and not shared, is
 * TOOL_NOT_FOUND; administrators see what is not shared, too.
 */
export async function getTool(
  { db, secrets }: Store,
  subject: Subject,
  id: number,
  mcpServers: readonly number[],
): Promise<ToolSnapshot> {
  const row = await toolsOf(db, subject, mcpServers).where('tool.id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('TOOL_NOT_FOUND')
  return masked(row, secrets)
}

/** The tools that are switched on: the subject's own, the shared and the built-in ones, and those of these servers. */
export async function listTools(
  { db, secrets }: Store,
  subject: Subject,
  page: Page,
  mcpServers: readonly number[],
): Promise<ToolSnapshot[]> {
  const rows = await pageOf(toolsOf(db, subject, mcpServers), page)
    .where('enabled', '=', 1)
    .execute()
  return rows.map((row) => masked(row, secrets))
}

/** The tools that somebody made from an OpenAPI definition, switched on or off. */
export async function listCustomTools({ db, secrets }: Store, subject: Subject, page: Page): Promise<ToolSnapshot[]> {
  const query = pageOf(toolsOf(db, subject, []), page).where('in_code_tool_id', 'is', null)
  return (await query.execute()).map((row) => masked(row, secrets))
}

/** What the subject is shown: its own, what is shared and what is built in, of which administrators see all; and of these servers. */
const toolsOf = (db: Queries, subject: Subject, mcpServers: readonly number[]) =>
  named(db).where((it) => {
    const isOurs = it('mcp_server_id', 'is', null)
    const isOpen = it.or([it('tool.is_public', '=', 1), it('tool.user_id', '=', subject.user_id)])
    return it.or([
      it('mcp_server_id', 'in', [NO_SERVER, ...mcpServers]),
      subject.rights.has('admin') ? isOurs : it.and([isOurs, isOpen]),
    ])
  })

const named = (db: Queries) =>
  db
    .selectFrom('tool')
    .leftJoin('oauth_config', 'oauth_config.id', 'tool.oauth_config_id')
    .selectAll('tool')
    .select('oauth_config.name as oauth_config_name')

const pageOf = (tools: ReturnType<typeof toolsOf>, { after, limit }: Page) =>
  tools.where('tool.id', '>', after).orderBy('tool.id').limit(limit)

/** Those that are switched on and open to the subject: built in, its own, or shared; administrators have all. */
export const listUsableTools = (db: Queries, subject: Subject, ids: readonly number[]): Promise<StoredTool[]> =>
  openTools(db, subject, ids).where('enabled', '=', 1).execute()

/** Those of the ids that the subject may use, switched on or off. */
export async function listOpenToolIds(db: Queries, subject: Subject, ids: readonly number[]): Promise<number[]> {
  return (await openTools(db, subject, ids).execute()).map((it) => it.id)
}

const openTools = (db: Queries, subject: Subject, ids: readonly number[]) =>
  db
    .selectFrom('tool')
    .selectAll()
    .where('id', 'in', [NO_TOOL, ...ids])
    .$if(!subject.rights.has('admin'), (query) =>
      query.where((it) =>
        // Who may use those of a remote server, the server says.
        it.or([it('is_public', '=', 1), it('user_id', '=', subject.user_id), it('mcp_server_id', 'is not', null)]),
      ),
    )
    .orderBy('id')

/** An empty list is no SQL. */
const NO_TOOL = -1
const NO_SERVER = -1

/** The tools of each of these personas, switched on or off, in order of their ids. */
export async function listToolsOfPersonas(
  { db, secrets }: Store,
  personaIds: readonly number[],
): Promise<Map<number, ToolSnapshot[]>> {
  const rows = await db
    .selectFrom('persona_tool')
    .innerJoin('tool', 'tool.id', 'persona_tool.tool_id')
    .leftJoin('oauth_config', 'oauth_config.id', 'tool.oauth_config_id')
    .selectAll('tool')
    .select(['persona_id', 'oauth_config.name as oauth_config_name'])
    .where('persona_id', 'in', [...personaIds])
    .orderBy('tool.id')
    .execute()
  const byPersona = Map.groupBy(rows, (row) => row.persona_id)
  return new Map([...byPersona].map(([id, tools]) => [id, tools.map((row) => masked(row, secrets))]))
}

export async function findTool(db: Queries, id: number): Promise<StoredTool> {
  const row = await db.selectFrom('tool').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('TOOL_NOT_FOUND')
  return row
}

/** Where the headers of a tool belong, so that no other row can borrow them. */
export const placeOfHeaders = (id: number) => `tool/${id}/custom_headers` as const

export const headersOf = (row: StoredTool, secrets: SecretBox): Header[] =>
  row.custom_headers === null ? [] : JSON.parse(secrets.open(row.custom_headers, placeOfHeaders(row.id)))

const masked = (row: NamedTool, secrets: SecretBox): ToolSnapshot =>
  snapshot(row, row.custom_headers === null ? null : maskHeaders(headersOf(row, secrets)))

export async function nameOfOauthConfig(db: Queries, row: StoredTool): Promise<NamedTool> {
  const config = await db
    .selectFrom('oauth_config')
    .select('name')
    .where('id', '=', row.oauth_config_id ?? NO_TOOL)
    .executeTakeFirst()
  return { ...row, oauth_config_name: config?.name ?? null }
}

export function snapshot(row: NamedTool, custom_headers: readonly Header[] | null): ToolSnapshot {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    definition: row.definition === null ? null : JSON.parse(row.definition),
    display_name: row.display_name ?? row.name,
    in_code_tool_id: row.in_code_tool_id,
    custom_headers: custom_headers === null ? null : [...custom_headers],
    passthrough_auth: row.passthrough_auth === 1,
    mcp_server_id: row.mcp_server_id,
    user_id: row.user_id,
    oauth_config_id: row.oauth_config_id,
    oauth_config_name: row.oauth_config_name,
    enabled: row.enabled === 1,
    chat_selectable: row.chat_selectable === 1,
    agent_creation_selectable: row.agent_creation_selectable === 1,
    default_enabled: row.default_enabled === 1,
    requires_confirmation: row.requires_confirmation === 1,
    is_public: row.is_public === 1,
  }
}
