import type { Selectable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { grantFromColumns, toGrantSnapshot } from '../../domain/tools/passthrough.ts'
import { type Header, maskHeaders, type ToolSnapshot } from '../../domain/tools/tool.ts'
import type { KeysetPage } from '../../domain/values/keyset-page.ts'
import type { Queryable } from '../database/database.ts'
import type { ToolRow } from '../database/tables.ts'
import { versionOf } from '../database/version-of.ts'
import type { QueryableWithSecrets, SecretBox } from '../secrets/secret-box.ts'

export type StoredTool = Selectable<ToolRow>
/** Includes the name of the OAuth configuration, if any. */
type NamedTool = StoredTool & { oauth_config_name: string | null }

/**
 * `mcpServers` are the servers whose tools the subject may see. TOOL_NOT_FOUND: the tool belongs to another server, or
 * to another user who does not share it. Administrators see unshared tools as well.
 */
export async function getTool(
  { db, secrets }: QueryableWithSecrets,
  subject: Subject,
  id: number,
  mcpServers: readonly number[],
): Promise<ToolSnapshot> {
  const row = await selectVisibleTools(db, subject, mcpServers).where('tool.id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('TOOL_NOT_FOUND')
  return maskedToolSnapshot(row, secrets)
}

/** Null: built-in tools and others. */
interface ToolChoice {
  isBuiltIn: boolean | null
  hasDisabled: boolean
  mcpServers: readonly number[]
}

/** Lists the subject's own, shared and built-in tools, and those of these servers. */
export async function listTools(
  { db, secrets }: QueryableWithSecrets,
  subject: Subject,
  page: KeysetPage,
  { isBuiltIn, hasDisabled, mcpServers }: ToolChoice,
): Promise<ToolSnapshot[]> {
  const rows = await limitToPage(selectVisibleTools(db, subject, mcpServers), page)
    .$if(!hasDisabled, (query) => query.where('enabled', '=', 1))
    .$if(isBuiltIn !== null, (query) => query.where('in_code_tool_id', isBuiltIn === true ? 'is not' : 'is', null))
    .execute()
  return rows.map((row) => maskedToolSnapshot(row, secrets))
}

/** Lists the tools made from an OpenAPI definition, enabled or not. */
export async function listCustomTools(
  { db, secrets }: QueryableWithSecrets,
  subject: Subject,
  page: KeysetPage,
): Promise<ToolSnapshot[]> {
  const query = limitToPage(selectVisibleTools(db, subject, []), page).where('in_code_tool_id', 'is', null)
  return (await query.execute()).map((row) => maskedToolSnapshot(row, secrets))
}

/**
 * Selects the subject's own, shared and built-in tools, all of those for administrators, and the tools of these
 * servers.
 */
const selectVisibleTools = (db: Queryable, subject: Subject, mcpServers: readonly number[]) =>
  selectNamedTools(db).where((it) => {
    const isOurs = it('mcp_server_id', 'is', null)
    const isOpen = it.or([it('tool.is_public', '=', 1), it('tool.user_id', '=', subject.user_id)])
    return it.or([
      it('mcp_server_id', 'in', [NO_SERVER, ...mcpServers]),
      subject.rights.has('admin') ? isOurs : it.and([isOurs, isOpen]),
    ])
  })

const selectNamedTools = (db: Queryable) =>
  db
    .selectFrom('tool')
    .leftJoin('oauth_config', 'oauth_config.id', 'tool.oauth_config_id')
    .selectAll('tool')
    .select('oauth_config.name as oauth_config_name')

const limitToPage = (tools: ReturnType<typeof selectVisibleTools>, { after, limit }: KeysetPage) =>
  tools.where('tool.id', '>', after).orderBy('tool.id').limit(limit)

/** Lists enabled tools that are open to the subject: built-in, own and shared ones; all for administrators. */
export const listUsableTools = (db: Queryable, subject: Subject, ids: readonly number[]): Promise<StoredTool[]> =>
  selectOpenTools(db, subject, ids).where('enabled', '=', 1).execute()

/** Returns those of the ids that the subject may use, enabled or not. */
export async function listOpenToolIds(db: Queryable, subject: Subject, ids: readonly number[]): Promise<number[]> {
  return (await selectOpenTools(db, subject, ids).execute()).map((it) => it.id)
}

const selectOpenTools = (db: Queryable, subject: Subject, ids: readonly number[]) =>
  db
    .selectFrom('tool')
    .selectAll()
    .where('id', 'in', [NO_TOOL, ...ids])
    .$if(!subject.rights.has('admin'), (query) =>
      query.where((it) =>
        // The remote server decides who may use its tools.
        it.or([it('is_public', '=', 1), it('user_id', '=', subject.user_id), it('mcp_server_id', 'is not', null)]),
      ),
    )
    .orderBy('id')

/** SQL has no empty list. */
const NO_TOOL = -1
const NO_SERVER = -1

/** Maps each persona to its tools, enabled or not, in order of their ids. */
export async function listToolsOfPersonas(
  { db, secrets }: QueryableWithSecrets,
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
  return new Map([...byPersona].map(([id, tools]) => [id, tools.map((row) => maskedToolSnapshot(row, secrets))]))
}

export async function getStoredTool(db: Queryable, id: number): Promise<StoredTool> {
  const row = await db.selectFrom('tool').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('TOOL_NOT_FOUND')
  return row
}

/** The secret location of the headers of a tool. */
export const headersLocation = (id: number) => `tool/${id}/custom_headers` as const

export const decryptHeaders = (row: StoredTool, secrets: SecretBox): Header[] =>
  row.custom_headers === null ? [] : JSON.parse(secrets.open(row.custom_headers, headersLocation(row.id)))

const maskedToolSnapshot = (row: NamedTool, secrets: SecretBox): ToolSnapshot =>
  toolSnapshot(row, row.custom_headers === null ? null : maskHeaders(decryptHeaders(row, secrets)))

export async function addOauthConfigName(db: Queryable, row: StoredTool): Promise<NamedTool> {
  const config = await db
    .selectFrom('oauth_config')
    .select('name')
    .where('id', '=', row.oauth_config_id ?? NO_TOOL)
    .executeTakeFirst()
  return { ...row, oauth_config_name: config?.name ?? null }
}

/** Changes with each field that `updateTool` writes. */
export const toolVersion = (it: StoredTool): string =>
  versionOf([
    ...[it.name, it.description, it.definition, it.custom_headers, it.passthrough_auth],
    ...[it.oauth_config_id, it.is_public, it.requires_confirmation],
  ])

export function toolSnapshot(row: NamedTool, custom_headers: readonly Header[] | null): ToolSnapshot {
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
    version: toolVersion(row),
    passthrough_grant: toGrantSnapshot(grantFromColumns(row)),
  }
}
