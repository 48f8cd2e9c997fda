// Who may read an issue: whom the permission scheme of its project lets browse, and of those whom its security level names.
// What the credential may not see of this closes, and never opens.
import { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import { SourceError, type SourceGroup } from './connector.ts'
import { parsed } from './json-answer.ts'
import { type Once, openOnce } from './once.ts'
import { type Tracker, TrackerRefusal } from './ticket-tracker-api.ts'
import type { Issue } from './ticket-tracker-issue.ts'

const User = z.object({
  accountId: z.string().nullish(),
  name: z.string().nullish(),
  emailAddress: z.string().nullish(),
})
type User = z.infer<typeof User>

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-permission-schemes/#about-permission-schemes-and-grants */
const Holder = z.object({
  type: z.string(),
  parameter: z.string().nullish(),
  user: User.nullish(),
  group: z.object({ name: z.string().nullish() }).nullish(),
})
type Holder = z.infer<typeof Holder>

const PermissionScheme = z.object({
  permissions: z.array(z.object({ permission: z.string(), holder: Holder })).default([]),
})
const SecurityScheme = z.object({ id: z.union([z.string(), z.number()]).transform(String) })
const LevelMembers = z.object({ values: z.array(z.object({ holder: Holder })), isLast: z.boolean().optional() })
const Role = z.object({
  actors: z
    .array(
      z.object({
        type: z.string(),
        name: z.string().nullish(),
        actorUser: z.object({ accountId: z.string().nullish() }).nullish(),
        actorGroup: z.object({ name: z.string().nullish() }).nullish(),
      }),
    )
    .default([]),
})
const ApplicationRole = z.object({ groups: z.array(z.string()).default([]) })
const Project = z.object({ lead: User.nullish() })

interface Readers {
  isPublic: boolean
  emails: ReadonlySet<string>
  groups: ReadonlySet<string>
  /** Who it is depends on the issue. */
  byIssue: readonly Holder[]
}

const NOBODY: Readers = { isPublic: false, emails: new Set(), groups: new Set(), byIssue: [] }
const MEMBER_PAGE = 100

/** Each project, level, role and person is asked for once. */
export function openIssueAccess(tracker: Tracker): (issue: Issue) => Promise<ExternalAccess> {
  const once = openOnce()
  return async (issue) => {
    const { project, security } = issue.fields
    if (!project) return externalAccess(NOBODY)
    const browsing = of(await once(`project ${project.key}`, () => readersOfProject(tracker, project.key, once)), issue)
    if (!security) return externalAccess(browsing)
    const level = once(`level ${project.key} ${security.id}`, () =>
      readersOfLevel(tracker, { project: project.key, level: security.id }, once),
    )
    const membersOf = (group: string) => once(`group ${group}`, () => emailsOfGroup(tracker, group, once))
    return externalAccess(await both(browsing, of(await level, issue), membersOf))
  }
}

/** The groups that the projects and their security levels name; a field of an issue may name others, and they stay closed. */
export async function* groupsOfProjects(
  tracker: Tracker,
  projects: readonly string[],
): AsyncGenerator<SourceGroup, void> {
  const once = openOnce()
  const named = new Set<string>()
  for (const project of projects) {
    for (const { groups } of [
      await readersOfProject(tracker, project, once),
      await readersOfLevel(tracker, { project, level: null }, once),
    ]) {
      for (const it of groups) named.add(it)
    }
  }
  for (const id of named) yield { id, emails: await emailsOfGroup(tracker, id, once) }
}

const externalAccess = ({ isPublic, emails, groups }: Readers): ExternalAccess => ({
  is_public: isPublic,
  external_user_emails: [...emails].sort(),
  external_user_group_ids: [...groups].sort(),
})

/** A group that both name as such, and of the others each member who is in both. */
async function both(one: Readers, other: Readers, membersOf: MembersOf): Promise<Readers> {
  if (one.isPublic) return other
  if (other.isPublic) return one
  const groups = one.groups.intersection(other.groups)
  const mine = await everybodyElse(one, groups, membersOf)
  const theirs = mine.size === 0 ? mine : await everybodyElse(other, groups, membersOf)
  return { ...NOBODY, emails: mine.intersection(theirs), groups }
}

type MembersOf = (group: string) => Promise<readonly string[]>

/** Whoever is in a group that both have is let in by that. */
async function everybodyElse(
  { emails, groups }: Readers,
  shared: ReadonlySet<string>,
  membersOf: MembersOf,
): Promise<Set<string>> {
  const all = new Set(emails)
  for (const group of groups.difference(shared)) for (const it of await membersOf(group)) all.add(it)
  return all
}

const Members = z.object({ values: z.array(User), isLast: z.boolean().optional() })

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-groups/#api-rest-api-3-group-member-get */
async function emailsOfGroup(tracker: Tracker, groupname: string, once: Once): Promise<string[]> {
  const emails: string[] = []
  for (let startAt = 0; ; ) {
    const query = new URLSearchParams({ groupname, startAt: String(startAt), maxResults: String(MEMBER_PAGE) })
    const page = await orClosed(async () => parsed(Members, await tracker.ask(`/group/member?${query}`)))
    for (const it of page?.values ?? []) emails.push(...(await emailOf(tracker, it, once)))
    if (page === null || page.isLast !== false || page.values.length === 0) return emails
    startAt += page.values.length
  }
}

function of(readers: Readers, { fields }: Issue): Readers {
  const emails = new Set(readers.emails)
  const groups = new Set(readers.groups)
  for (const { type, parameter } of readers.byIssue) {
    if (type === 'reporter' && fields.reporter?.emailAddress) emails.add(fields.reporter.emailAddress)
    if (type === 'assignee' && fields.assignee?.emailAddress) emails.add(fields.assignee.emailAddress)
    const value = parameter ? fields[parameter] : undefined
    for (const it of Array.isArray(value) ? value : [value]) {
      const user = User.safeParse(it)
      if (!user.success) continue
      if (type === 'userCustomField' && user.data.emailAddress) emails.add(user.data.emailAddress)
      if (type === 'groupCustomField' && user.data.name) groups.add(user.data.name)
    }
  }
  return { ...readers, emails, groups }
}

async function readersOfProject(tracker: Tracker, project: string, once: Once): Promise<Readers> {
  const path = `/project/${encodeURIComponent(project)}/permissionscheme?expand=all`
  const scheme = await orClosed(async () => parsed(PermissionScheme, await tracker.ask(path)))
  const holders = (scheme?.permissions ?? []).filter((it) => it.permission === 'BROWSE_PROJECTS').map((it) => it.holder)
  return readersOf(tracker, project, holders, once)
}

/** A server names the level of an issue, and not who is in it. Null: of all its levels together. */
async function readersOfLevel(
  tracker: Tracker,
  { project, level }: { project: string; level: string | null },
  once: Once,
): Promise<Readers> {
  if (!tracker.isCloud) return NOBODY
  const scheme = await orClosed(async () =>
    parsed(SecurityScheme, await tracker.ask(`/project/${encodeURIComponent(project)}/issuesecuritylevelscheme`)),
  )
  if (scheme === null) return NOBODY
  const holders: Holder[] = []
  for (let isLast = false; !isLast; ) {
    const query = new URLSearchParams({
      ...(level !== null && { issueSecurityLevelId: level }),
      expand: 'all',
      startAt: String(holders.length),
      maxResults: String(MEMBER_PAGE),
    })
    const path = `/issuesecurityschemes/${scheme.id}/members?${query}`
    const page = await orClosed(async () => parsed(LevelMembers, await tracker.ask(path)))
    if (page === null) return NOBODY
    holders.push(...page.values.map((it) => it.holder))
    isLast = page.isLast !== false || page.values.length === 0
  }
  return readersOf(tracker, project, holders, once)
}

async function readersOf(tracker: Tracker, project: string, holders: readonly Holder[], once: Once): Promise<Readers> {
  const emails = new Set<string>()
  const groups = new Set<string>()
  for (const holder of holders) {
    const found = await resolve(tracker, project, holder, once)
    for (const it of found.emails) emails.add(it)
    for (const it of found.groups) groups.add(it)
  }
  return {
    isPublic: holders.some((it) => it.type === 'anyone'),
    emails,
    groups,
    byIssue: holders.filter((it) => ['reporter', 'assignee', 'userCustomField', 'groupCustomField'].includes(it.type)),
  }
}

type Found = { emails: readonly string[]; groups: readonly string[] }

async function resolve(
  tracker: Tracker,
  project: string,
  { type, parameter, user, group }: Holder,
  once: Once,
): Promise<Found> {
  const none: Found = { emails: [], groups: [] }
  if (type === 'group') return { ...none, groups: [group?.name ?? parameter].filter((it) => it != null) }
  if (type === 'user')
    return { ...none, emails: await emailOf(tracker, user ?? { accountId: parameter, name: parameter }, once) }
  if (type === 'applicationRole') {
    const key = parameter ? `/${encodeURIComponent(parameter)}` : ''
    return { ...none, groups: await once(`applicationrole ${key}`, () => groupsOfRole(tracker, key)) }
  }
  if (type === 'projectLead') {
    const asked = await orClosed(async () =>
      parsed(Project, await tracker.ask(`/project/${encodeURIComponent(project)}`)),
    )
    return { ...none, emails: asked?.lead ? await emailOf(tracker, asked.lead, once) : [] }
  }
  if (type !== 'projectRole' || !parameter) return none
  const path = `/project/${encodeURIComponent(project)}/role/${encodeURIComponent(parameter)}`
  const role = await orClosed(async () => parsed(Role, await tracker.ask(path)))
  const emails: string[] = []
  const groups: string[] = []
  for (const { type, name, actorUser, actorGroup } of role?.actors ?? []) {
    const own = { accountId: actorUser?.accountId, name }
    if (type === 'atlassian-user-role-actor') emails.push(...(await emailOf(tracker, own, once)))
    const group = actorGroup?.name ?? name
    if (type === 'atlassian-group-role-actor' && group) groups.push(group)
  }
  return { emails, groups }
}

async function groupsOfRole(tracker: Tracker, key: string): Promise<string[]> {
  const roles = await orClosed(async () => {
    const answer = await tracker.ask(`/applicationrole${key}`)
    return parsed(z.array(ApplicationRole), Array.isArray(answer) ? answer : [answer])
  })
  return (roles ?? []).flatMap((it) => it.groups)
}

/** Who hides the address from the credential cannot be told from anybody else. */
async function emailOf(tracker: Tracker, { accountId, name, emailAddress }: User, once: Once): Promise<string[]> {
  if (emailAddress) return [emailAddress]
  const id = tracker.isCloud ? accountId : name
  if (!id) return []
  return once(`user ${id}`, async () => {
    const path = `/user?${new URLSearchParams(tracker.isCloud ? { accountId: id } : { username: id })}`
    const user = await orClosed(async () => parsed(User, await tracker.ask(path)))
    return user?.emailAddress ? [user.emailAddress] : []
  })
}

/** A no is an answer: it gives nobody the right to read. That there is none ends the run, and leaves what is as it is. */
async function orClosed<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof TrackerRefusal || (error instanceof SourceError && isClosed(error))) return null
    throw error
  }
}

const isClosed = ({ fault, status }: SourceError) => status === 403 || fault === 'unexpected'
