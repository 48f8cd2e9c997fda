// People in groups, who may curate them.
import type { createSetup } from './setup.ts'

export interface GroupPerson {
  id: string
  email: string
  /** A key of role global_curator with the groups of the person: the person decides what it may do. */
  key: string
}

const GROUPS = '/manage/admin/user-group'

export function createGroupSetup({ ok, makeKey }: Pick<ReturnType<typeof createSetup>, 'ok' | 'makeKey'>) {
  const groupIds = new Map<string, number>()

  /** Creates the group at the first call. */
  async function groupId(name: string): Promise<number> {
    const known = groupIds.get(name)
    if (known !== undefined) return known
    const { id } = await ok('POST', GROUPS, { body: { name, user_ids: [] } })
    groupIds.set(name, id)
    return id
  }

  const setCurator = async (user_id: string, group: string, is_curator: boolean) =>
    ok('POST', `${GROUPS}/${await groupId(group)}/set-curator`, { body: { user_id, is_curator } })

  const addTo = async (user_id: string, group: string) =>
    ok('POST', `${GROUPS}/${await groupId(group)}/add-users`, { body: { user_ids: [user_id] } })

  return {
    groupId,
    setCurator,
    addTo,
    /** Adds a basic person to `groups`, and makes them the curator of `curated`. */
    async makePerson(name: string, { groups = [], curated = [] }: { groups?: string[]; curated?: string[] }) {
      const email = `${name}@example.com`
      const key = await makeKey({ user_email: email, role: 'global_curator', name: `key of ${name}` })
      await ok('PATCH', '/manage/set-user-role', { body: { user_email: email, new_role: 'basic' } })
      const { items } = await ok('GET', `/manage/users/accepted?q=${email}`)
      const person: GroupPerson = { id: items[0].id, email, key }
      for (const it of [...groups, ...curated]) await addTo(person.id, it)
      for (const it of curated) await setCurator(person.id, it, true)
      return person
    },
  }
}
