// Ends what the directory says about a person. The person and what belongs to them remain.
import type { Queryable } from '../../database/database.ts'
import { removePeople } from '../change-group.ts'

export async function removeFromScim(trx: Queryable, personId: string, now: number): Promise<void> {
  const groups = await trx
    .selectFrom('user_group_member')
    .innerJoin('scim_group', 'scim_group.group_id', 'user_group_member.group_id')
    .select(['user_group_member.group_id', 'is_curator'])
    .where('person_id', '=', personId)
    .execute()
  for (const { group_id, is_curator } of groups)
    await removePeople(trx, group_id, [{ person_id: personId, is_curator }], now)
  await trx.deleteFrom('scim_email').where('person_id', '=', personId).execute()
  await trx.deleteFrom('scim_user').where('person_id', '=', personId).execute()
}
