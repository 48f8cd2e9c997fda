// The rows of built-in tools. The definitions in the code are right, and the record follows them.
import { isDifferentRow } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'

export interface BuiltInToolRow {
  in_code_tool_id: string
  name: string
  display_name: string
  description: string
  chat_selectable: boolean
  default_enabled: boolean
}

/**
 * Inserts rows that are missing, and updates rows that differ. A new tool is switched on; persona 0 gets it if
 * `default_enabled` is true. Whether an existing tool is switched on, and which personas have it, stays as it is.
 */
export async function syncBuiltInTools(db: Database, tools: readonly BuiltInToolRow[], now: number): Promise<void> {
  const stored = await db.selectFrom('tool').selectAll().where('in_code_tool_id', 'is not', null).execute()
  for (const tool of tools) {
    const columns = toColumns(tool)
    const known = stored.find((it) => it.in_code_tool_id === tool.in_code_tool_id)
    if (known === undefined) await insertBuiltInTool(db, tool, now)
    else if (isDifferentRow(known, columns))
      await db
        .updateTable('tool')
        .set({ ...columns, time_updated: now })
        .where('id', '=', known.id)
        .execute()
  }
}

const insertBuiltInTool = (db: Database, tool: BuiltInToolRow, now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const inserted = await trx
      .insertInto('tool')
      .values({
        ...toColumns(tool),
        definition: null,
        custom_headers: null,
        passthrough_auth: 0,
        mcp_server_id: null,
        user_id: null,
        oauth_config_id: null,
        enabled: 1,
        agent_creation_selectable: 1,
        held_off: 0,
        is_public: 1,
        time_created: now,
        time_updated: now,
      })
      // Another process may start at the same time.
      .onConflict((it) => it.column('in_code_tool_id').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (inserted === undefined || !tool.default_enabled) return
    await trx.insertInto('persona_tool').values({ persona_id: DEFAULT_PERSONA, tool_id: inserted.id }).execute()
  })

/** The persona of a chat that names none. */
const DEFAULT_PERSONA = 0

const toColumns = ({ chat_selectable, default_enabled, ...texts }: BuiltInToolRow) => ({
  ...texts,
  chat_selectable: chat_selectable ? (1 as const) : (0 as const),
  default_enabled: default_enabled ? (1 as const) : (0 as const),
})
