import type { Selectable } from 'kysely'
import { AppError } from '../domain/errors.ts'
import type { Page } from '../domain/page.ts'
import type { Subject } from '../domain/subject.ts'
import type { ToolSnapshot } from '../domain/tool.ts'
import type { Queries } from './database.ts'
import type { SecretBox } from './secret-box.ts'
import type { PersonaRow } from './tables.ts'
import { listToolsOfPersonas } from './tools.ts'

export interface StoredPersona extends Selectable<PersonaRow> {
  tools: ToolSnapshot[]
}
interface Store {
  db: Queries
  secrets: SecretBox
}

/** Those that are listed, of the public ones and the subject's own. */
export async function listPersonas(store: Store, subject: Subject, { after, limit }: Page): Promise<StoredPersona[]> {
  const listed = personasOf(store.db, subject).where('is_listed', '=', 1)
  return withTools(store, await listed.where('id', '>', after).orderBy('id').limit(limit).execute())
}

/** One that is closed to the subject is PERSONA_NOT_FOUND, as one that is not there. */
export async function getPersona(store: Store, subject: Subject, id: number): Promise<StoredPersona> {
  const rows = await personasOf(store.db, subject).where('id', '=', id).execute()
  const [persona] = await withTools(store, rows)
  if (persona === undefined) throw new AppError('PERSONA_NOT_FOUND', { id })
  return persona
}

const personasOf = (db: Queries, { user_id }: Subject) =>
  db
    .selectFrom('persona')
    .selectAll()
    .where((it) => it.or([it('is_public', '=', 1), it('user_id', '=', user_id)]))

async function withTools(store: Store, rows: readonly Selectable<PersonaRow>[]): Promise<StoredPersona[]> {
  if (rows.length === 0) return []
  const tools = await listToolsOfPersonas(
    store,
    rows.map((it) => it.id),
  )
  return rows.map((row) => ({ ...row, tools: tools.get(row.id) ?? [] }))
}
