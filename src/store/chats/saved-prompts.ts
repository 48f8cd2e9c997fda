// The saved prompts of a person.
import type { Selectable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import type { SavedPromptRow } from '../database/chat-tables.ts'
import { toSqlFlag } from '../database/column-types.ts'
import type { Database, Queryable } from '../database/database.ts'

export type SavedPrompt = Selectable<SavedPromptRow>
type PromptOwner = Pick<Subject, 'user_id'>

export interface PromptContent {
  /** The name by which it is found. */
  prompt: string
  /** The text that is inserted. */
  content: string
  /** Whether it is offered. */
  active: boolean
}

const MAX_PROMPTS = 500

/** Lists the own prompts, in the order of their creation. */
export const listSavedPrompts = (db: Queryable, { user_id }: PromptOwner): Promise<SavedPrompt[]> =>
  db.selectFrom('saved_prompt').selectAll().where('user_id', '=', user_id).orderBy('id').execute()

/** TOO_MANY_INPUT_PROMPTS: the user has as many as one may have. */
export const insertSavedPrompt = (
  db: Database,
  { user_id }: PromptOwner,
  { prompt, content, active }: PromptContent,
  now: number,
): Promise<SavedPrompt> =>
  db.transaction().execute(async (trx) => {
    const { count } = await trx
      .selectFrom('saved_prompt')
      .select((it) => it.fn.countAll<number>().as('count'))
      .where('user_id', '=', user_id)
      .executeTakeFirstOrThrow()
    if (count >= MAX_PROMPTS) throw new AppError('TOO_MANY_INPUT_PROMPTS', { count: MAX_PROMPTS })
    return trx
      .insertInto('saved_prompt')
      .values({ user_id, prompt, content, active: toSqlFlag(active), time_created: now })
      .returningAll()
      .executeTakeFirstOrThrow()
  })

/** INPUT_PROMPT_NOT_FOUND: it does not exist or belongs to another user. */
export async function updateSavedPrompt(
  db: Database,
  { user_id }: PromptOwner,
  id: number,
  { prompt, content, active }: PromptContent,
): Promise<SavedPrompt> {
  const changed = await db
    .updateTable('saved_prompt')
    .set({ prompt, content, active: toSqlFlag(active) })
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .returningAll()
    .executeTakeFirst()
  if (changed === undefined) throw new AppError('INPUT_PROMPT_NOT_FOUND', { id })
  return changed
}

/** INPUT_PROMPT_NOT_FOUND: it does not exist or belongs to another user. */
export async function deleteSavedPrompt(db: Database, { user_id }: PromptOwner, id: number): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('saved_prompt')
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw new AppError('INPUT_PROMPT_NOT_FOUND', { id })
}
