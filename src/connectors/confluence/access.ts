// Resolves who may read a page: the readers of its space, intersected with the restrictions of the page and its
// ancestors.
// Permissions that the credential cannot see grant nobody access.
import { z } from 'zod'
import type { ExternalAccess } from '../../domain/access.ts'
import type { SourceGroup } from '../connector.ts'
import { validateAnswer } from '../rest/json-response.ts'
import { createOncePerKey, type OncePerKey } from '../rest/once-per-key.ts'
import { nullIfStatus } from '../rest/rest-client.ts'
import type { ConfluenceClient } from './client.ts'

const ConfluenceUser = z.object({
  accountId: z.string().nullish(),
  username: z.string().nullish(),
  userKey: z.string().nullish(),
  email: z.string().nullish(),
})
type ConfluenceUser = z.infer<typeof ConfluenceUser>
const ConfluenceGroup = z.object({ name: z.string(), id: z.string().nullish() })

/** https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content-restrictions */
export const ReadRestriction = z.object({
  restrictions: z.object({
    user: z.object({ results: z.array(ConfluenceUser) }),
    group: z.object({ results: z.array(ConfluenceGroup) }),
  }),
})
type Restriction = z.infer<typeof ReadRestriction>

export interface RestrictedContent {
  id: string
  /** Absent if the response did not include it. */
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
            user: z.object({ results: z.array(ConfluenceUser) }).nullish(),
            group: z.object({ results: z.array(ConfluenceGroup) }).nullish(),
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
    subject: ConfluenceUser.extend({
      type: z.string(),
      name: z.string().nullish(),
      displayName: z.string().nullish(),
    }).nullish(),
  }),
)
const Members = z.object({ results: z.array(ConfluenceUser) })

interface ReaderSet {
  isPublic: boolean
  /** Keyed by account id, user key or user name. */
  people: ReadonlyMap<string, ConfluenceUser>
  groups: ReadonlyMap<string, string | null>
}

export type PageAccess = (
  space: string,
  page: RestrictedContent,
  ancestors: readonly RestrictedContent[],
) => Promise<ExternalAccess>

const MEMBER_PAGE = 200

/** Fetches each space, ancestor, group and person once. */
export function createPageAccess(wiki: ConfluenceClient): PageAccess {
  const once = createOncePerKey()
  const membersOf = (name: string, id: string | null) => once(`group ${name}`, () => fetchMembers(wiki, { name, id }))
  return async (space, page, ancestors) => {
    let readers = await once(`space ${space}`, () => spaceReaders(wiki, space))
    for (const it of [...ancestors, page]) {
      const restriction = await once(`restriction ${it.id}`, () => fetchRestriction(wiki, it))
      if (restriction !== 'none') readers = await intersectReaderSets(readers, restriction, membersOf)
    }
    return {
      is_public: readers.isPublic,
      external_user_emails: await resolveEmails(wiki, readers.people, once),
      external_user_group_ids: [...readers.groups.keys()].sort(),
    }
  }
}

const Groups = z.object({ results: z.array(ConfluenceGroup) })

/** All groups of the wiki, since a page may name any of them. */
export async function* listConfluenceGroups(wiki: ConfluenceClient): AsyncGenerator<SourceGroup, void> {
  // Confluence Server does not expose e-mail addresses.
  if (!wiki.isCloud) return
  const once = createOncePerKey()
  for (let start = 0; ; ) {
    // https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-group/#api-wiki-rest-api-group-get
    const answer = await nullIfStatus(wiki.rest.fetchJson(`/rest/api/group?limit=${MEMBER_PAGE}&start=${start}`))
    const { results } = answer === null ? { results: [] } : validateAnswer(Groups, answer.value)
    for (const { name, id = null } of results) {
      yield { id: name, emails: await resolveEmails(wiki, await fetchMembers(wiki, { name, id }), once) }
    }
    if (results.length < MEMBER_PAGE) return
    start += results.length
  }
}

async function resolveEmails(
  wiki: ConfluenceClient,
  people: ReadonlyMap<string, ConfluenceUser>,
  once: OncePerKey,
): Promise<string[]> {
  const emails = new Set<string>()
  for (const [key, person] of people) {
    const email = person.email || (await once(`user ${key}`, () => fetchConfluenceEmail(wiki, person)))
    if (email) emails.add(email)
  }
  return [...emails].sort()
}

const NOBODY: ReaderSet = { isPublic: false, people: new Map(), groups: new Map() }

const userKeyOf = ({ accountId, userKey, username }: ConfluenceUser) => accountId ?? userKey ?? username ?? null

const usersByKey = (people: readonly ConfluenceUser[]): Map<string, ConfluenceUser> =>
  new Map(
    people.flatMap((it): [string, ConfluenceUser][] => {
      const key = userKeyOf(it)
      return key === null ? [] : [[key, it]]
    }),
  )

async function spaceReaders({ rest, isCloud }: ConfluenceClient, space: string): Promise<ReaderSet> {
  const path = `/rest/api/space/${encodeURIComponent(space)}`
  const answer = await nullIfStatus(rest.fetchJson(isCloud ? `${path}?expand=permissions` : `${path}/permissions`))
  if (answer === null) return NOBODY
  if (isCloud) {
    const readPermissions = (validateAnswer(CloudSpace, answer.value).permissions ?? []).filter(
      ({ operation }) => operation.operation === 'read' && operation.targetType === 'space',
    )
    return {
      isPublic: readPermissions.some((it) => it.anonymousAccess === true),
      people: usersByKey(readPermissions.flatMap((it) => it.subjects?.user?.results ?? [])),
      groups: new Map(
        readPermissions.flatMap((it) => it.subjects?.group?.results ?? []).map((it) => [it.name, it.id ?? null]),
      ),
    }
  }
  const subjects = validateAnswer(ServerPermissions, answer.value)
    .filter(({ operation }) => operation.operationKey === 'read' && operation.targetType === 'space')
    .flatMap((it) => (it.subject ? [it.subject] : []))
  const groups = subjects.flatMap((it) => (it.type === 'group' ? (it.name ?? it.displayName ?? []) : []))
  return {
    isPublic: subjects.some((it) => it.type === 'anonymous'),
    people: usersByKey(subjects.filter((it) => it.type === 'user' || it.type === 'known')),
    groups: new Map(groups.map((it) => [it, null])),
  }
}

async function fetchRestriction(
  { rest }: ConfluenceClient,
  { id, restrictions }: RestrictedContent,
): Promise<ReaderSet | 'none'> {
  const known = restrictions?.read
  const path = `/rest/api/content/${encodeURIComponent(id)}/restriction/byOperation/read?expand=restrictions.user,restrictions.group`
  const answer = known ?? (await nullIfStatus(rest.fetchJson(path)))?.value
  if (answer === undefined) return NOBODY
  const { user, group } = validateAnswer(ReadRestriction, answer).restrictions
  if (user.results.length === 0 && group.results.length === 0) return 'none'
  return {
    isPublic: false,
    people: usersByKey(user.results),
    groups: new Map(group.results.map((it) => [it.name, it.id ?? null])),
  }
}

type MembersOfGroup = (name: string, id: string | null) => Promise<ReadonlyMap<string, ConfluenceUser>>

/** Intersects two reader sets. Groups in both stay groups; members of the other groups are compared individually. */
async function intersectReaderSets(one: ReaderSet, other: ReaderSet, membersOf: MembersOfGroup): Promise<ReaderSet> {
  if (one.isPublic) return other
  const groups = new Map([...other.groups].filter(([name]) => one.groups.has(name)))
  const fromOne = await usersBeyond(one, groups, membersOf)
  const fromOther = fromOne.size === 0 ? fromOne : await usersBeyond(other, groups, membersOf)
  const people = new Map<string, ConfluenceUser>()
  for (const [key, person] of fromOne) {
    const same = fromOther.get(key)
    // Not every response contains e-mail addresses.
    if (same !== undefined) people.set(key, person.email ? person : same)
  }
  return { isPublic: false, people, groups }
}

/** All readers who are not covered by a shared group. */
async function usersBeyond(
  { people, groups }: ReaderSet,
  shared: ReadonlyMap<string, unknown>,
  membersOf: MembersOfGroup,
): Promise<Map<string, ConfluenceUser>> {
  const all = new Map(people)
  for (const [name, id] of groups) {
    if (shared.has(name)) continue
    for (const [key, person] of await membersOf(name, id)) if (!all.has(key)) all.set(key, person)
  }
  return all
}

/** https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-group */
async function fetchMembers({ rest, isCloud }: ConfluenceClient, group: { name: string; id: string | null }) {
  const all: ConfluenceUser[] = []
  const root =
    isCloud && group.id !== null ? `${group.id}/membersByGroupId` : `${encodeURIComponent(group.name)}/member`
  for (;;) {
    const answer = await nullIfStatus(
      rest.fetchJson(`/rest/api/group/${root}?limit=${MEMBER_PAGE}&start=${all.length}`),
    )
    if (answer === null) return usersByKey(all)
    const { results } = validateAnswer(Members, answer.value)
    all.push(...results)
    if (results.length < MEMBER_PAGE) return usersByKey(all)
  }
}

/** Confluence Server does not expose e-mail addresses. */
async function fetchConfluenceEmail(
  { rest, isCloud }: ConfluenceClient,
  { accountId }: ConfluenceUser,
): Promise<string | null> {
  if (!isCloud || !accountId) return null
  const answer = await nullIfStatus(rest.fetchJson(`/rest/api/user?${new URLSearchParams({ accountId })}`))
  return answer === null ? null : validateAnswer(ConfluenceUser, answer.value).email || null
}
