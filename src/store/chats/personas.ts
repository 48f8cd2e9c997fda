import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { StarterMessage } from '../../domain/chat/persona.ts'
import { AppError } from '../../domain/errors.ts'
import { mayManage } from '../../domain/rights/may-manage.ts'
import type { Subject } from '../../domain/subject.ts'
import type { ToolSnapshot } from '../../domain/tools/tool.ts'
import type { KeysetPage } from '../../domain/values/keyset-page.ts'
import { toSqlFlag } from '../database/column-types.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { PersonaRow } from '../database/tables.ts'
import { checkOwnImage } from '../files/user-files.ts'
import { withCurrentGroups } from '../identity/credential-owners.ts'
import type { QueryableWithSecrets } from '../secrets/secret-box.ts'
import { type DocumentSet, listDocumentSets, listSetsOfPersonas } from '../sources/document-sets.ts'
import { listOpenToolIds, listToolsOfPersonas } from '../tools/tools.ts'
import { claimPersonaVersion } from './persona-version.ts'

export interface StoredPersona extends Selectable<PersonaRow> {
  tools: ToolSnapshot[]
  /** Its chats search only these sets; an empty list means no limit. */
  document_sets: DocumentSet[]
  /** Address of the person whose key created it, if the key acts for one. */
  owner_email: string | null
}

/** Lists personas that are open to the caller. Unlisted ones are left out, or only those that the caller may not edit. */
export async function listPersonas(
  store: QueryableWithSecrets,
  caller: Subject,
  { after, limit, isWithUnlisted = false }: KeysetPage & { isWithUnlisted?: boolean },
): Promise<StoredPersona[]> {
  const subject = isWithUnlisted ? await withCurrentGroups(store.db, caller) : caller
  const rows = await selectLivePersonas(store.db)
    .$if(!isWithUnlisted, (it) => it.where('is_listed', '=', 1))
    .where('id', '>', after)
    .execute()
  const listed = rows.filter((it) => it.is_listed === 1 || isEditablePersona(it, subject))
  return addPersonaRelations(store, listed.filter((it) => isOpenPersona(it, caller)).slice(0, limit))
}

/** Lists all personas of all owners, for administrators. */
export async function listAllPersonas(
  store: QueryableWithSecrets,
  { after, limit, isWithDeleted }: KeysetPage & { isWithDeleted: boolean },
): Promise<StoredPersona[]> {
  const rows = await selectPersonas(store.db)
    .where('id', '>', after)
    .$if(!isWithDeleted, (it) => it.where('deleted_at', 'is', null))
    .limit(limit)
    .execute()
  return addPersonaRelations(store, rows)
}

/** PERSONA_NOT_FOUND: it does not exist or is closed to the subject. */
export async function getPersona(store: QueryableWithSecrets, subject: Subject, id: number): Promise<StoredPersona> {
  return addRelations(store, await getOpenPersonaRow(store.db, subject, id))
}

/** Like `getPersona`, and for those who may change it. They need not be able to chat with it. */
export async function getVisiblePersona(
  store: QueryableWithSecrets,
  caller: Subject,
  id: number,
): Promise<StoredPersona> {
  const row = await selectLivePersonas(store.db).where('id', '=', id).executeTakeFirst()
  const subject = await withCurrentGroups(store.db, caller)
  if (row === undefined || !(isOpenPersona(row, subject) || isEditablePersona(row, subject)))
    throw new AppError('PERSONA_NOT_FOUND', { id })
  return addRelations(store, row)
}

/** Like `getPersona`, without tools and document sets. */
export async function getOpenPersonaRow(db: Queryable, subject: Subject, id: number): Promise<Selectable<PersonaRow>> {
  const row = await selectLivePersonas(db).where('id', '=', id).executeTakeFirst()
  if (row === undefined || !isOpenPersona(row, subject)) throw new AppError('PERSONA_NOT_FOUND', { id })
  return row
}

/** Also finds deleted personas, because their chats name them. */
export const findPersonaLabel = (
  db: Queryable,
  id: number,
): Promise<{ name: string; icon_name: string | null } | undefined> =>
  db.selectFrom('persona').select(['name', 'icon_name']).where('id', '=', id).executeTakeFirst()

/** For callers that already checked the right to edit it. */
export async function getPersonaForEditor(store: QueryableWithSecrets, id: number): Promise<StoredPersona> {
  const row = await selectLivePersonas(store.db).where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new AppError('PERSONA_NOT_FOUND', { id })
  return addRelations(store, row)
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

/** Absent fields stay unchanged. */
export type PersonaChange = Partial<PersonaContent & PersonaSharing & { is_listed: boolean; is_featured: boolean }>

/**
 * TOOLS_NOT_FOUND: the subject may not use a tool. DOCUMENT_SET_NOT_FOUND: a set is closed to the subject. FILE_NOT_FOUND:
 * the image is not an own image.
 */
export const insertPersona = (
  db: Database,
  subject: Subject,
  { tool_ids, document_set_ids, ...persona }: PersonaContent & PersonaSharing & { is_featured: boolean },
  now: number,
): Promise<number> =>
  db.transaction().execute(async (trx) => {
    if (persona.uploaded_image_id !== null) await checkOwnImage(trx, subject, persona.uploaded_image_id)
    const { id } = await trx
      .insertInto('persona')
      .values({
        ...personaColumns({ ...persona, is_listed: true }),
        builtin_persona: 0,
        user_id: subject.user_id,
        time_created: now,
        time_updated: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await insertToolsOfPersona(trx, subject, id, { wanted: tool_ids, kept: [] })
    await insertSetsOfPersona(trx, subject, id, { wanted: document_set_ids, kept: [] })
    return id
  })

/**
 * Throws PERSONA_NOT_FOUND like `getPersona`; NOT_PERSONA_OWNER unless the subject owns it, curates all of its groups or
 * is an administrator; NOT_CURATED: a curator would not manage it any more; PERSONA_CHANGED: it has another version than
 * the caller expects; FILE_NOT_FOUND: the new image is not an own image.
 */
export const updatePersona = (
  db: Database,
  subject: Subject,
  id: number,
  {
    tool_ids,
    document_set_ids,
    expectedVersion = null,
    ...change
  }: PersonaChange & { expectedVersion?: string | null },
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const row = await getEditablePersona(trx, subject, id)
    if (expectedVersion !== null) await claimPersonaVersion(trx, row, expectedVersion)
    const { uploaded_image_id: image = null } = change
    // Readers of a persona may read its image, so nobody may choose the file of another person.
    if (image !== null && image !== row.uploaded_image_id) await checkOwnImage(trx, subject, image)
    const stored = toPersonaFields(row)
    const isChanged = await changesAnswers(trx, id, stored, { ...change, tool_ids, document_set_ids })
    // An administrator featured the persona as it was.
    const featured = isChanged && !subject.rights.has('admin') ? { is_featured: false } : {}
    const users = change.users?.map((it) => stored.users.find((known) => personId(known) === it) ?? it)
    const whole = { ...stored, ...change, ...featured, ...(users !== undefined && { users }) }
    const access = { is_public: toSqlFlag(whole.is_public), groups: JSON.stringify(whole.groups) }
    if (!isEditablePersona({ ...row, ...access }, await withCurrentGroups(trx, subject)))
      throw new AppError('NOT_CURATED')
    await trx
      .updateTable('persona')
      .set({ ...personaColumns(whole), time_updated: Math.max(now, row.time_updated + 2) })
      .where('id', '=', id)
      .execute()
    if (tool_ids !== undefined) {
      const kept = isOwnPersona(row, subject) ? [] : await listToolIds(trx, id)
      await trx.deleteFrom('persona_tool').where('persona_id', '=', id).execute()
      await insertToolsOfPersona(trx, subject, id, { wanted: tool_ids, kept })
    }
    if (document_set_ids !== undefined) {
      const kept = isOwnPersona(row, subject) ? [] : await listSetIds(trx, id)
      await trx.deleteFrom('persona_document_set').where('persona_id', '=', id).execute()
      await insertSetsOfPersona(trx, subject, id, { wanted: document_set_ids, kept })
    }
  })

const ANSWER_FIELDS = [
  'system_prompt',
  'task_prompt',
  'replace_base_system_prompt',
  'llm_model_provider_override',
] as const
const MODEL_FIELDS = ['llm_model_version_override', 'default_model_configuration_id'] as const

type WantedPersonaChange = { [field in keyof PersonaChange]: PersonaChange[field] | undefined }

/** Tells whether the persona would answer differently, search other documents or use other tools. */
async function changesAnswers(
  trx: Queryable,
  id: number,
  stored: PersonaFields,
  change: WantedPersonaChange,
): Promise<boolean> {
  if ([...ANSWER_FIELDS, ...MODEL_FIELDS].some((it) => change[it] !== undefined && change[it] !== stored[it]))
    return true
  return (
    isDifferentSet(await listToolIds(trx, id), change.tool_ids) ||
    isDifferentSet(await listSetIds(trx, id), change.document_set_ids)
  )
}

async function listToolIds(trx: Queryable, id: number): Promise<number[]> {
  const rows = await trx.selectFrom('persona_tool').select('tool_id').where('persona_id', '=', id).execute()
  return rows.map((it) => it.tool_id)
}

async function listSetIds(trx: Queryable, id: number): Promise<number[]> {
  const links = trx.selectFrom('persona_document_set').select('document_set_id').where('persona_id', '=', id)
  return (await links.execute()).map((it) => it.document_set_id)
}

/** A curator who edits the persona of another leaves what is closed to them: `kept`. */
const isOwnPersona = ({ user_id }: Pick<StoredPersona, 'user_id'>, subject: Subject): boolean =>
  user_id === subject.user_id || subject.rights.has('admin')

const isDifferentSet = (stored: readonly number[], wanted: readonly number[] | undefined): boolean =>
  wanted !== undefined && new Set(stored).symmetricDifference(new Set(wanted)).size > 0

/**
 * Returns the id by which the wire names a user with whom a persona is shared. Clients expect a UUID. A key already has
 * one; an e-mail address gets one derived from it (RFC 9562, version 8), by which it is recognized later.
 */
export function personId(user: string): string {
  if (!user.includes('@')) return user
  const hex = createHash('sha256').update(user.toLowerCase()).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Chats with the persona stay, and it can be restored. */
export const deletePersona = (db: Database, subject: Subject, id: number, now: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const { builtin_persona } = await getEditablePersona(trx, subject, id)
    if (builtin_persona === 1) {
      throw new AppError('VALIDATION_ERROR', {
        reason: 'The built-in persona cannot be deleted. An administrator can unlist it.',
      })
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

/** Its owner, administrators, and curators of all of its groups may edit a persona. */
export const isEditablePersona = (
  { user_id, is_public, groups }: Pick<StoredPersona, 'user_id' | 'is_public' | 'groups'>,
  subject: Subject,
): boolean =>
  mayManage(subject, { kind: 'persona', owner: user_id, isPrivate: is_public === 0, groups: JSON.parse(groups) })

const selectPersonas = (db: Queryable) => db.selectFrom('persona').selectAll().orderBy('id')
const selectLivePersonas = (db: Queryable) => selectPersonas(db).where('deleted_at', 'is', null)

/** Public, shared with the subject, or their own. */
export function isOpenPersona(row: Selectable<PersonaRow>, subject: Subject): boolean {
  if (row.is_public === 1 || row.user_id === subject.user_id) return true
  const users: string[] = JSON.parse(row.users)
  const groups: string[] = JSON.parse(row.groups)
  const names = [subject.user_id, subject.email?.toLowerCase()]
  return users.some((it) => names.includes(it.toLowerCase())) || groups.some((it) => subject.groups.includes(it))
}

async function getEditablePersona(db: Queryable, subject: Subject, id: number): Promise<Selectable<PersonaRow>> {
  const row = await selectLivePersonas(db).where('id', '=', id).executeTakeFirst()
  const mayEdit = row !== undefined && isEditablePersona(row, await withCurrentGroups(db, subject))
  if (row === undefined || !(mayEdit || isOpenPersona(row, subject))) throw new AppError('PERSONA_NOT_FOUND', { id })
  if (!mayEdit) throw new AppError('NOT_PERSONA_OWNER')
  return row
}

async function addPersonaRelations(
  store: QueryableWithSecrets,
  rows: readonly Selectable<PersonaRow>[],
): Promise<StoredPersona[]> {
  if (rows.length === 0) return []
  const relate = await readPersonaRelations(
    store,
    rows.map((it) => it.id),
  )
  return rows.map(relate)
}

const addRelations = async (store: QueryableWithSecrets, row: Selectable<PersonaRow>): Promise<StoredPersona> =>
  (await readPersonaRelations(store, [row.id]))(row)

async function readPersonaRelations(
  store: QueryableWithSecrets,
  ids: readonly number[],
): Promise<(row: Selectable<PersonaRow>) => StoredPersona> {
  const tools = await listToolsOfPersonas(store, ids)
  const sets = await listSetsOfPersonas(store.db, ids)
  const people = await store.db.selectFrom('person').select(['id', 'email']).execute()
  const emails = new Map(people.map((it) => [it.id, it.email]))
  return (row) => ({
    ...row,
    tools: tools.get(row.id) ?? [],
    document_sets: sets.get(row.id) ?? [],
    owner_email: row.user_id === null ? null : (emails.get(row.user_id) ?? null),
  })
}

type PersonaFields = Omit<PersonaContent, 'tool_ids' | 'document_set_ids'> &
  PersonaSharing & { is_listed: boolean; is_featured: boolean }

const personaColumns = ({ users, groups, starter_messages, ...it }: PersonaFields) => ({
  name: it.name,
  description: it.description,
  system_prompt: it.system_prompt,
  task_prompt: it.task_prompt,
  datetime_aware: toSqlFlag(it.datetime_aware),
  replace_base_system_prompt: toSqlFlag(it.replace_base_system_prompt),
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
  is_public: toSqlFlag(it.is_public),
  is_listed: toSqlFlag(it.is_listed),
  is_featured: toSqlFlag(it.is_featured),
})

const toPersonaFields = ({ users, groups, starter_messages, ...row }: Selectable<PersonaRow>): PersonaFields => ({
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

async function insertToolsOfPersona(
  db: Queryable,
  subject: Subject,
  persona_id: number,
  { wanted: ids, kept }: { wanted: readonly number[]; kept: readonly number[] },
): Promise<void> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return
  const open = [...(await listOpenToolIds(db, subject, wanted)), ...kept]
  const missing = wanted.filter((id) => !open.includes(id))
  if (missing.length > 0) throw new AppError('TOOLS_NOT_FOUND', { ids: `[${missing.join(', ')}]` })
  await db
    .insertInto('persona_tool')
    .values(wanted.map((tool_id) => ({ persona_id, tool_id })))
    .execute()
}

async function insertSetsOfPersona(
  db: Queryable,
  subject: Subject,
  persona_id: number,
  { wanted: ids, kept }: { wanted: readonly number[]; kept: readonly number[] },
): Promise<void> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return
  const open = await listDocumentSets(db, subject, { after: -1, limit: Number.MAX_SAFE_INTEGER })
  const missing = wanted.find((id) => !kept.includes(id) && !open.some((it) => it.id === id))
  if (missing !== undefined) throw new AppError('DOCUMENT_SET_NOT_FOUND', { id: missing })
  await db
    .insertInto('persona_document_set')
    .values(wanted.map((document_set_id) => ({ persona_id, document_set_id })))
    .execute()
}
