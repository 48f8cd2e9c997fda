// The version of a persona, by which a change of an outdated one is noticed.
import type { Selectable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import type { Queryable } from '../database/database.ts'
import type { PersonaRow } from '../database/tables.ts'

export const personaVersion = ({ time_updated }: Pick<Selectable<PersonaRow>, 'time_updated'>): string =>
  String(time_updated)

/** Locks the row. PERSONA_CHANGED: it has another version. Times of changes tell versions apart, so none repeats. */
export async function claimPersonaVersion(
  trx: Queryable,
  row: Selectable<PersonaRow>,
  expectedVersion: string,
): Promise<void> {
  const { id, time_updated } = row
  const { numUpdatedRows } = await trx
    .updateTable('persona')
    .set({ time_updated: time_updated + 1 })
    .where('id', '=', id)
    .where('time_updated', '=', time_updated)
    .executeTakeFirst()
  if (numUpdatedRows === 0n || personaVersion(row) !== expectedVersion) throw new AppError('PERSONA_CHANGED', { id })
}
