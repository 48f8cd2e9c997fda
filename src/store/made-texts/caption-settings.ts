// Whether captions of pictures are made, and what waits when they are switched on.
import { CAPTIONED_TYPES } from '../../domain/made-texts/caption.ts'
import { commitStatements } from '../database/commit-statements.ts'
import type { Database, Queryable, SqlStatement } from '../database/database.ts'

export interface CaptionSettings {
  is_on: boolean
  /** The most pictures that are sent in a day (UTC). */
  pictures_per_day: number
}

const DEFAULTS: CaptionSettings = { is_on: false, pictures_per_day: 100 }

export async function readCaptionSettings(db: Queryable): Promise<CaptionSettings> {
  const row = await db.selectFrom('caption_settings').selectAll().executeTakeFirst()
  return row === undefined ? DEFAULTS : { is_on: row.is_on === 1, pictures_per_day: row.pictures_per_day }
}

const TYPES = CAPTIONED_TYPES.map((it) => `'${it}'`).join()

/** Pictures of uploads that a document shows, and that never had a caption. Their bytes are kept with the upload. */
const FROM_UNCAPTIONED = `from recognition
  where exists (select 1 from user_file where user_file.blob = recognition.blob and file_type in (${TYPES}))
    and exists (select 1 from recognition_document where recognition_document.blob = recognition.blob)
    and not exists (select 1 from model_text where model_text.blob = recognition.blob and kind = 'caption')`

/** Writers of documents hold this row until they commit, so a document written meanwhile is seen by what follows. */
export const LOCK_CHANGES = `update sequence set value = value where name = 'change'`

/** Pictures that documents show already wait for their captions when these are switched on. */
export async function writeCaptionSettings(db: Database, settings: CaptionSettings, now: number): Promise<void> {
  const { is_on, pictures_per_day } = settings
  const write = {
    sql: `insert into caption_settings (id, is_on, pictures_per_day, time_updated) values (1, ?1, ?2, ?3)
      on conflict (id) do update set is_on = excluded.is_on, pictures_per_day = excluded.pictures_per_day,
        time_updated = excluded.time_updated`,
    parameters: [is_on ? 1 : 0, pictures_per_day, now],
  }
  await commitStatements(db, [{ sql: LOCK_CHANGES, parameters: [] }, write, ...(is_on ? queueStatements(now) : [])])
}

const queueStatements = (now: number): SqlStatement[] => [
  {
    sql: `insert into model_text (blob, kind, name, queued_at)
      select blob, 'caption', name, cast(?1 as bigint) ${FROM_UNCAPTIONED} on conflict do nothing`,
    parameters: [now],
  },
  {
    sql: `update model_text set state = 'waiting', finished_at = null, attempts = 0, retry_at = 0
      where kind = 'caption' and state = 'removed' and blob in (select blob from user_file)`,
    parameters: [],
  },
  {
    sql: `insert into model_text_document (document_id, blob, kind, is_settled)
      select document_id, model_text.blob, 'caption', cast(0 as bigint)
      from recognition_document join model_text on model_text.blob = recognition_document.blob and kind = 'caption'
      where true on conflict do nothing`,
    parameters: [],
  },
]

/** How many pictures would wait if captions were switched on, beside those that wait already. */
export async function countUncaptioned(db: Database): Promise<number> {
  const [rows] = await commitStatements(db, [{ sql: `select count(*) as count ${FROM_UNCAPTIONED}`, parameters: [] }])
  return Number(rows?.[0]?.count ?? 0)
}
