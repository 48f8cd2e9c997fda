// Deletes the captions of pictures.
import { commitStatements } from '../database/commit-statements.ts'
import type { Database } from '../database/database.ts'
import type { Blobs } from '../files/blobs.ts'
import { releaseScan } from '../files/scan-files.ts'
import { LOCK_CHANGES } from './caption-settings.ts'

/**
 * Switches captions off and deletes them. Documents lose theirs soon after. Files of sources that waited are no longer
 * kept for it.
 */
export async function removeCaptions(
  store: { db: Database; blobs: Pick<Blobs, 'exclusively' | 'release'> },
  now: number,
): Promise<void> {
  const { db } = store
  const captions = db.selectFrom('model_text').where('kind', '=', 'caption')
  // Those of uploads are kept with these.
  const kept = await captions
    .select('blob')
    .where('state', 'in', ['waiting', 'failed'])
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('user_file').select('id').whereRef('user_file.blob', '=', 'model_text.blob'))),
    )
    .execute()
  const held = `(select blob from model_text where kind = 'caption' and state = 'read')`
  await commitStatements(db, [
    { sql: LOCK_CHANGES, parameters: [] },
    { sql: 'update caption_settings set is_on = 0, time_updated = ?1', parameters: [now] },
    {
      sql: `update model_text_document set is_settled = 0 where kind = 'caption' and blob in ${held}`,
      parameters: [],
    },
    {
      sql: `update model_text set state = 'removed', content = null, model = null, error = null, finished_at = ?1
        where kind = 'caption' and state <> 'removed'`,
      parameters: [now],
    },
  ])
  for (const { blob } of kept) await releaseScan(store, blob)
}
