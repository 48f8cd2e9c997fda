// The words of a directory about a person, for the export and deletion of their data.
import type { Queryable } from '../../database/database.ts'

export async function listScimRecords(db: Queryable, personId: string): Promise<Record<string, unknown>[]> {
  const users = await db
    .selectFrom('scim_user')
    .select(['user_name', 'external_id', 'formatted_name', 'display_name', 'given_name', 'family_name', 'time_created'])
    .where('person_id', '=', personId)
    .execute()
  const emails = await db
    .selectFrom('scim_email')
    .select(['value', 'type', 'is_primary'])
    .where('person_id', '=', personId)
    .orderBy('position')
    .execute()
  const removals = await db
    .selectFrom('scim_removal')
    .select(['kind as removal', 'state', 'asked_at', 'decided_at'])
    .where('person_id', '=', personId)
    .orderBy('id')
    .execute()
  return [...users, ...emails, ...removals]
}

export async function deleteScimRecords(trx: Queryable, personId: string): Promise<void> {
  await trx.deleteFrom('scim_removal').where('person_id', '=', personId).execute()
  await trx.deleteFrom('scim_email').where('person_id', '=', personId).execute()
  await trx.deleteFrom('scim_user').where('person_id', '=', personId).execute()
}
