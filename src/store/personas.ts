import type { Selectable } from 'kysely'
import { AppError } from '../domain/errors.ts'
import type { Page } from '../domain/page.ts'
import type { StarterMessage } from '../domain/persona.ts'
import type { Subject } from '../domain/subject.ts'
import type { ToolSnapshot } from '../domain/tool.ts'
import type { Database, Queries } from './database.ts'
import { listDocumentSets } from './document-sets.ts'
import type { SecretBox } from './secret-box.ts'
import type { PersonaRow } from './tables.ts'
import { listOpenToolIds, listToolsOfPersonas } from './tools.ts'

export interface StoredPersona extends Selectable<PersonaRow> {
  tools: ToolSnapshot[]
  /** Its chats look for documents of these alone; none is no limit. */
  document_sets: { id: number; name: string; description: string }[]
}
interface Store {
  db: Queries
  secrets: SecretBox
}

/** Those that are listed and open to the subject: public, shared with them, or their own. */
export async function listPersonas(store: Store, subject: Subject, page: Page): Promise<StoredPersona[]> {
  const rows = await living(store.db).where('is_listed', '=', 1).where('id', '>', page.after).execute()
  return completed(store, rows.filter((it) => isOpen(it, subject)).slice(0, page.limit))
}

/** All that there are, whoever they belong to; for administrators. */
export async function listAllPersonas(
  store: Store,
  { after, limit, isWithDeleted }: Page & { isWithDeleted: boolean },
): Promise<StoredPersona[]> {
  const rows = await all(store.db)
    .where('id', '>', after)
    .$if(!isWithDeleted, (it) => it.where('deleted_at', 'is', null))
    .limit(limit)
    .execute()
  return completed(store, rows)
}

/** One that is closed to the subject is PERSONA_NOT_FOUND, as one that is not there. */
export async function getPersona(store: Store, subject: Subject, id: number): Promise<StoredPersona> {
  const row = await living(store.db).where('id', '=', id).executeTakeFirst()
  if (row === undefined || !isOpen(row, subject)) throw new AppError('PERSONA_NOT_FOUND', { id })
  const [persona] = await completed(store, [row])
  return persona!
}

/** Also of one that was deleted: chats that were led with it name it. */
export async function findPersonaName(db: Queries, id: number): Promise<string | null> {
  const row = await db.selectFrom('persona').select('name').where('id', '=', id).executeTakeFirst()
  return row?.name ?? null
}

/** For who was let change it. */
export async function getEditedPersona(store: Store, id: number): Promise<StoredPersona> {
  const row = await living(store.db).where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('PERSONA_NOT_FOUND', { id })
  const [persona] = await completed(store, [row])
  return persona!
}

export interface PersonaContent {
  name: string
  description: string
  system_prompt: string
  task_prompt: string
  datetime_aware: boolean
  replace_base_system_prompt: boolean
  starter_messages: readonly StarterMessage[]
  search_start_date: number | null
  icon_name: string | null
  uploaded_image_id: string | null
  display_priority: number | null
  default_model_configuration_id: number | null
  llm_model_provider_override: string | null
  llm_model_version_override: string | null
  tool_ids: readonly number[]
  document_set_ids: readonly number[]
}

export interface PersonaSharing {
  is_public: boolean
  users: readonly string[]
  groups: readonly string[]
}

/** What is absent stays as it is. */
export type PersonaChange = Partial<PersonaContent & PersonaSharing & { is_listed: boolean; is_featured: boolean }>

/** A tool that the subject may not use is TOOLS_NOT_FOUND, a set that is closed to the subject DOCUMENT_SET_NOT_FOUND. */
export const insertPersona = (
  db: Database,
  subject: Subject,
  { tool_ids, document_set_ids, ...persona }: PersonaContent & PersonaSharing & { is_featured: boolean },
  now: number,
): Promise<number> =>
  db.transaction().execute(async (trx) => {
    const { id } = await trx
      .insertInto('persona')
      .values({
        ...columnsOf({ ...persona, is_listed: true }),
        builtin_persona: 0,
        user_id: subject.user_id,
        time_created: now,
        time_updated: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await linkTools(trx, subject, id, tool_ids)
    await linkSets(trx, subject, id, document_set_ids)
    return id
  })

/** As `getPersona`; NOT_PERSONA_OWNER for one that is neither the subject's nor an administrator's to change. */
export const updatePersona = (
  db: Database,
  subject: Subject,
  id: number,
  { tool_ids, document_set_ids, ...change }: PersonaChange,
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const stored = wholeOf(await getEditable(trx, subject, id))
    await trx
      .updateTable('persona')
      .set({ ...columnsOf({ ...stored, ...change }), time_updated: now })
      .where('id', '=', id)
      .execute()
    if (tool_ids !== undefined) {
      await trx.deleteFrom('persona_tool').where('persona_id', '=', id).execute()
      await linkTools(trx, subject, id, tool_ids)
    }
    if (document_set_ids !== undefined) {
      await trx.deleteFrom('persona_document_set').where('persona_id', '=', id).execute()
      await linkSets(trx, subject, id, document_set_ids)
    }
  })

/** The chats that were led with it stay; it can be brought back. */
export const deletePersona = (db: Database, subject: Subject, id: number, now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { builtin_persona } = await getEditable(trx, subject, id)
    if (builtin_persona === 1) {
      throw new AppError('VALIDATION_ERROR', { reason: 'The built-in persona stays. An administrator can unlist it.' })
    }
    await trx.updateTable('persona').set({ deleted_at: now }).where('id', '=', id).execute()
  })

export async function undeletePersona(db: Database, id: number): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('persona')
    .set({ deleted_at: null })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw new AppError('PERSONA_NOT_FOUND', { id })
}

/** One's own, and every one for an administrator. */
export const isEditable = (persona: Pick<StoredPersona, 'user_id'>, subject: Subject): boolean =>
  subject.rights.has('admin') || persona.user_id === subject.user_id

const all = (db: Queries) => db.selectFrom('persona').selectAll().orderBy('id')
const living = (db: Queries) => all(db).where('deleted_at', 'is', null)

function isOpen(row: Selectable<PersonaRow>, subject: Subject): boolean {
  if (row.is_public === 1 || row.user_id === subject.user_id) return true
  const users: string[] = JSON.parse(row.users)
  const groups: string[] = JSON.parse(row.groups)
  const names = [subject.user_id, subject.email?.toLowerCase()]
  return users.some((it) => names.includes(it.toLowerCase())) || groups.some((it) => subject.groups.includes(it))
}

async function getEditable(db: Queries, subject: Subject, id: number): Promise<Selectable<PersonaRow>> {
  const row = await living(db).where('id', '=', id).executeTakeFirst()
  const mayEdit = row !== undefined && isEditable(row, subject)
  if (row === undefined || !(mayEdit || isOpen(row, subject))) throw new AppError('PERSONA_NOT_FOUND', { id })
  if (!mayEdit) throw new AppError('NOT_PERSONA_OWNER')
  return row
}

async function completed(store: Store, rows: readonly Selectable<PersonaRow>[]): Promise<StoredPersona[]> {
  if (rows.length === 0) return []
  const ids = rows.map((it) => it.id)
  const tools = await listToolsOfPersonas(store, ids)
  const sets = await store.db
    .selectFrom('persona_document_set')
    .innerJoin('document_set', 'document_set.id', 'document_set_id')
    .select(['persona_id', 'id', 'name', 'description'])
    .where('persona_id', 'in', ids)
    .orderBy('id')
    .execute()
  const setsOf = Map.groupBy(sets, (it) => it.persona_id)
  return rows.map((row) => ({
    ...row,
    tools: tools.get(row.id) ?? [],
    document_sets: (setsOf.get(row.id) ?? []).map(({ persona_id: _, ...set }) => set),
  }))
}

type Whole = Omit<PersonaContent, 'tool_ids' | 'document_set_ids'> &
  PersonaSharing & { is_listed: boolean; is_featured: boolean }

const columnsOf = ({ users, groups, starter_messages, ...it }: Whole) => ({
  name: it.name,
  description: it.description,
  system_prompt: it.system_prompt,
  task_prompt: it.task_prompt,
  datetime_aware: flag(it.datetime_aware),
  replace_base_system_prompt: flag(it.replace_base_system_prompt),
  starter_messages: JSON.stringify(starter_messages),
  search_start_date: it.search_start_date,
  icon_name: it.icon_name,
  uploaded_image_id: it.uploaded_image_id,
  display_priority: it.display_priority,
  default_model_configuration_id: it.default_model_configuration_id,
  llm_model_provider_override: it.llm_model_provider_override,
  llm_model_version_override: it.llm_model_version_override,
  users: JSON.stringify(users),
  groups: JSON.stringify(groups),
  is_public: flag(it.is_public),
  is_listed: flag(it.is_listed),
  is_featured: flag(it.is_featured),
})

const wholeOf = ({ users, groups, starter_messages, ...row }: Selectable<PersonaRow>): Whole => ({
  ...row,
  users: JSON.parse(users),
  groups: JSON.parse(groups),
  starter_messages: JSON.parse(starter_messages),
  datetime_aware: row.datetime_aware === 1,
  replace_base_system_prompt: row.replace_base_system_prompt === 1,
  is_public: row.is_public === 1,
  is_listed: row.is_listed === 1,
  is_featured: row.is_featured === 1,
})

const flag = (it: boolean): 0 | 1 => (it ? 1 : 0)

async function linkTools(db: Queries, subject: Subject, persona_id: number, ids: readonly number[]): Promise<void> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return
  const open = await listOpenToolIds(db, subject, wanted)
  const missing = wanted.filter((id) => !open.includes(id))
  if (missing.length > 0) throw new AppError('TOOLS_NOT_FOUND', { ids: `[${missing.join(', ')}]` })
  await db
    .insertInto('persona_tool')
    .values(wanted.map((tool_id) => ({ persona_id, tool_id })))
    .execute()
}

async function linkSets(db: Queries, subject: Subject, persona_id: number, ids: readonly number[]): Promise<void> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return
  const open = await listDocumentSets(db, subject, { after: -1, limit: Number.MAX_SAFE_INTEGER })
  const missing = wanted.find((id) => !open.some((it) => it.id === id))
  if (missing !== undefined) throw new AppError('DOCUMENT_SET_NOT_FOUND', { id: missing })
  await db
    .insertInto('persona_document_set')
    .values(wanted.map((document_set_id) => ({ persona_id, document_set_id })))
    .execute()
}
