// Language models whose last calls failed. A call that succeeds deletes the row, so that the table is almost always empty.
import type { Selectable } from 'kysely'
import type { Queryable } from '../database/database.ts'
import type { FailingModelRow } from '../database/model-tables.ts'
import type { ModelReference } from './llm-providers.ts'

export type FailingModel = Selectable<FailingModelRow>

export const listFailingModels = (db: Queryable): Promise<FailingModel[]> =>
  db.selectFrom('failing_model').selectAll().orderBy('provider_id').orderBy('model_name').execute()

/** Counts from one again if the settings are others. */
export async function noteModelFailure(
  db: Queryable,
  { provider_id, model_name, settings, reason }: Omit<FailingModel, 'failures' | 'failing_since'>,
  now: number,
): Promise<void> {
  await db
    .insertInto('failing_model')
    .values({ provider_id, model_name, settings, reason, failures: 1, failing_since: now })
    .onConflict((it) =>
      it.columns(['provider_id', 'model_name']).doUpdateSet(({ eb, ref }) => {
        const isSame = eb('failing_model.settings', '=', settings)
        return {
          ...{ settings, reason },
          failures: eb
            .case()
            .when(isSame)
            .then(eb('failing_model.failures', '+', 1))
            .else(1)
            .end(),
          failing_since: eb.case().when(isSame).then(ref('failing_model.failing_since')).else(now).end(),
        }
      }),
    )
    .execute()
}

/** Reads first, because there is almost never a row. */
export async function deleteModelFailures(db: Queryable, { provider_id, model_name }: ModelReference): Promise<void> {
  const noted = await listFailingModels(db)
  if (!noted.some((it) => it.provider_id === provider_id && it.model_name === model_name)) return
  await db
    .deleteFrom('failing_model')
    .where('provider_id', '=', provider_id)
    .where('model_name', '=', model_name)
    .execute()
}

/** For a call that is of no provider, such as a test. */
export async function deleteFailuresWith(db: Queryable, settings: string): Promise<void> {
  await db.deleteFrom('failing_model').where('settings', '=', settings).execute()
}
