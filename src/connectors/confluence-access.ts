// Who may read a page: whom its space lets in, and of those whom every restriction above it and its own name.
// What the credential may not see of this closes, and never opens.
import { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import type { Wiki } from './confluence-api.ts'
import type { SourceGroup } from './connector.ts'
import { parsed } from './json-answer.ts'
import { type Once, openOnce } from './once.ts'
import { orNull } from './source-rest.ts'

const Person = z.object({
  accountId: z.string().nullish(),
  username: z.string().nullish(),
  userKey: z.string().nullish(),
  email: z.string().nullish(),
})
type Person = z.infer<typeof Person>
const Group = z.object({ name: z.string(), id: z.string().nullish() })

/** https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content-restrictions */
export const Restriction = z.object({
  restrictions: z.object({
    user: z.object({ results: z.array(Person) }),
    group: z.object({ results: z.array(Group) }),
  }),
})
type Restriction = z.infer<typeof Restriction>

export interface Restricted {
  id: string
  /** Absent where the wiki did not say it with the page. */
  restrictions?: { read?: Restriction | null | undefined } | null | undefined
}

/** https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-space */
const CloudSpace = z.object({
  permissions: z
    .array(
      z.object({
        operation: z.object({ operation: z.string(), targetType: z.string() }),
        anonymousAccess: z.boolean().nullish(),
        subjects: z
          .object({
            user: z.object({ results: z.array(Person) }).nullish(),
            group: z.object({ results: z.array(Group) }).nullish(),
          })
          .nullish(),
      }),
    )
    .nullish(),
})
/** https://developer.atlassian.com/server/confluence/rest/v1000/api-group-space-permissions */
const ServerPermissions = z.array(
  z.object({
    operation: z.object({ targetType: z.string(), operationKey: z.string() }),
    subject: Person.extend({
      type: z.string(),
      name: z.string().nullish(),
      displayName: z.string().nullish(),
    }).nullish(),
  }),
)
const Members = z.object({ results: z.array(Person) })

interface Readers {
  isPublic: boolean
  /** By what the wiki knows them by. */
  people: ReadonlyMap<string, Person>
  groups: ReadonlyMap<string, string | null>
}

export type PageAccess = (space: string, page: Restricted, ancestors: readonly Restricted[]) => Promise<ExternalAccess>

const MEMBER_PAGE = 200

/** Each space, ancestor, group and person is asked for once. */
export function openPageAccess(wiki: Wiki): PageAccess {
  const once = openOnce()
  const membersOf = (name: string, id: string | null) => once(`group ${name}`, () => members(wiki, { name, id }))
  return async (space, page, ancestors) => {
    let readers = await once(`space ${space}`, () => readersOfSpace(wiki, space))
    for (const it of [...ancestors, page]) {
      const restriction = await once(`restriction ${it.id}`, () => restrictionOf(wiki, it))
      if (restriction !== 'none') readers = await narrow(readers, restriction, membersOf)
    }
    return {
      is_public: readers.isPublic,
      external_user_emails: await emailsOf(wiki, readers.people, once),
      external_user_group_ids: [...readers.groups.keys()].sort(),
    }
  }
}

const Groups = z.object({ results: z.array(Group) })

/** All that the wiki has, as any of them may be named by a page. */
export async function* groupsOfWiki(wiki: Wiki): AsyncGenerator<SourceGroup, void> {
  // A server shows no addresses of anybody.
  if (!wiki.isCloud) return
  const once = openOnce()
  for (let start = 0; ; ) {
    // https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-group/#api-wiki-rest-api-group-get
    const answer = await orNull(wiki.rest.ask(`/rest/api/group?limit=${MEMBER_PAGE}&start=${start}`))
    const { results } = answer === null ? { results: [] } : parsed(Groups, answer.value)
    for (const { name, id = null } of results) {
      yield { id: name, emails: await emailsOf(wiki, await members(wiki, { name, id }), once) }
    }
    if (results.length < MEMBER_PAGE) return
    start += results.length
  }
}

async function emailsOf(wiki: Wiki, people: ReadonlyMap<string, Person>, once: Once): Promise<string[]> {
  const emails = new Set<string>()
  for (const [key, person] of people) {
    const email = person.email || (await once(`user ${key}`, () => shownEmail(wiki, person)))
    if (email) emails.add(email)
  }
  return [...emails].sort()
}

const NOBODY: Readers = { isPublic: false, people: new Map(), groups: new Map() }

const keyOf = ({ accountId, userKey, username }: Person) => accountId ?? userKey ?? username ?? null

const byKey = (people: readonly Person[]): Map<string, Person> =>
  new Map(people.flatMap((it): [string, Person][] => (keyOf(it) === null ? [] : [[keyOf(it)!, it]])))

async function readersOfSpace({ rest, isCloud }: Wiki, space: string): Promise<Readers> {
  const path = `/rest/api/space/${encodeURIComponent(space)}`
  const answer = await orNull(rest.ask(isCloud ? `${path}?expand=permissions` : `${path}/permissions`))
  if (answer === null) return NOBODY
  if (isCloud) {
    const reading = (parsed(CloudSpace, answer.value).permissions ?? []).filter(
      ({ operation }) => operation.operation === 'read' && operation.targetType === 'space',
    )
    return {
      isPublic: reading.some((it) => it.anonymousAccess === true),
      people: byKey(reading.flatMap((it) => it.subjects?.user?.results ?? [])),
      groups: new Map(reading.flatMap((it) => it.subjects?.group?.results ?? []).map((it) => [it.name, it.id ?? null])),
    }
  }
  const subjects = parsed(ServerPermissions, answer.value)
    .filter(({ operation }) => operation.operationKey === 'read' && operation.targetType === 'space')
    .flatMap((it) => (it.subject ? [it.subject] : []))
  const groups = subjects.flatMap((it) => (it.type === 'group' ? (it.name ?? it.displayName ?? []) : []))
  return {
    isPublic: subjects.some((it) => it.type === 'anonymous'),
    people: byKey(subjects.filter((it) => it.type === 'user' || it.type === 'known')),
    groups: new Map(groups.map((it) => [it, null])),
  }
}

async function restrictionOf({ rest }: Wiki, { id, restrictions }: Restricted): Promise<Readers | 'none'> {
  const said = restrictions?.read
  const path = `/rest/api/content/${encodeURIComponent(id)}/restriction/byOperation/read?expand=restrictions.user,restrictions.group`
  const answer = said ?? (await orNull(rest.ask(path)))?.value
  if (answer === undefined) return NOBODY
  const { user, group } = parsed(Restriction, answer).restrictions
  if (user.results.length === 0 && group.results.length === 0) return 'none'
  return {
    isPublic: false,
    people: byKey(user.results),
    groups: new Map(group.results.map((it) => [it.name, it.id ?? null])),
  }
}

type MembersOf = (name: string, id: string | null) => Promise<ReadonlyMap<string, Person>>

/** Who is in both: a group that is in both as such, of the others each member who is. */
async function narrow(one: Readers, other: Readers, membersOf: MembersOf): Promise<Readers> {
  if (one.isPublic) return other
  const groups = new Map([...other.groups].filter(([name]) => one.groups.has(name)))
  const mine = await everybodyElse(one, groups, membersOf)
  const theirs = mine.size === 0 ? mine : await everybodyElse(other, groups, membersOf)
  const people = new Map<string, Person>()
  for (const [key, person] of mine) {
    const same = theirs.get(key)
    // Not every list shows addresses.
    if (same !== undefined) people.set(key, person.email ? person : same)
  }
  return { isPublic: false, people, groups }
}

/** Whoever is in a group that both have is let in by that. */
async function everybodyElse(
  { people, groups }: Readers,
  shared: ReadonlyMap<string, unknown>,
  membersOf: MembersOf,
): Promise<Map<string, Person>> {
  const all = new Map(people)
  for (const [name, id] of groups) {
    if (shared.has(name)) continue
    for (const [key, person] of await membersOf(name, id)) if (!all.has(key)) all.set(key, person)
  }
  return all
}

/** https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-group */
async function members({ rest, isCloud }: Wiki, group: { name: string; id: string | null }) {
  const all: Person[] = []
  const root =
    isCloud && group.id !== null ? `${group.id}/membersByGroupId` : `${encodeURIComponent(group.name)}/member`
  for (;;) {
    const answer = await orNull(rest.ask(`/rest/api/group/${root}?limit=${MEMBER_PAGE}&start=${all.length}`))
    if (answer === null) return byKey(all)
    const { results } = parsed(Members, answer.value)
    all.push(...results)
    if (results.length < MEMBER_PAGE) return byKey(all)
  }
}

/** A server shows no addresses. */
async function shownEmail({ rest, isCloud }: Wiki, { accountId }: Person): Promise<string | null> {
  if (!isCloud || !accountId) return null
  const answer = await orNull(rest.ask(`/rest/api/user?${new URLSearchParams({ accountId })}`))
  return answer === null ? null : parsed(Person, answer.value).email || null
}
