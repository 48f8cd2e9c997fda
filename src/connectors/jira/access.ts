// Resolves who may read an issue: holders of the Browse Projects permission, intersected with the issue's security
// level.
// Permissions that the credential cannot see grant nobody access.
import { z } from 'zod'
import type { ExternalAccess } from '../../domain/access.ts'
import { SourceError, type SourceGroup } from '../connector.ts'
import { validateAnswer } from '../rest/json-response.ts'
import { createOncePerKey, type OncePerKey } from '../rest/once-per-key.ts'
import { type JiraClient, JiraStatusError } from './client.ts'
import type { JiraIssue } from './issue.ts'

const JiraUser = z.object({
  accountId: z.string().nullish(),
  name: z.string().nullish(),
  emailAddress: z.string().nullish(),
})
type JiraUser = z.infer<typeof JiraUser>

/**
 * https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-permission-schemes/#about-permission-schemes-and-grants
 */
const PermissionHolder = z.object({
  type: z.string(),
  parameter: z.string().nullish(),
  user: JiraUser.nullish(),
  group: z.object({ name: z.string().nullish() }).nullish(),
})
type PermissionHolder = z.infer<typeof PermissionHolder>

const PermissionScheme = z.object({
  permissions: z.array(z.object({ permission: z.string(), holder: PermissionHolder })).default([]),
})
const SecurityScheme = z.object({ id: z.union([z.string(), z.number()]).transform(String) })
const LevelMembers = z.object({
  values: z.array(z.object({ holder: PermissionHolder })),
  isLast: z.boolean().optional(),
})
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
const Project = z.object({ lead: JiraUser.nullish() })

interface JiraReaders {
  isPublic: boolean
  emails: ReadonlySet<string>
  groups: ReadonlySet<string>
  /** Holders that depend on the issue's fields. */
  byIssue: readonly PermissionHolder[]
}

const NOBODY: JiraReaders = { isPublic: false, emails: new Set(), groups: new Set(), byIssue: [] }
const MEMBER_PAGE = 100

/** Fetches each project, level, role and person once. */
export function createIssueAccess(jira: JiraClient): (issue: JiraIssue) => Promise<ExternalAccess> {
  const once = createOncePerKey()
  return async (issue) => {
    const { project, security } = issue.fields
    if (!project) return jiraExternalAccess(NOBODY)
    const browseReaders = resolveIssueFields(
      await once(`project ${project.key}`, () => projectReaders(jira, project.key, once)),
      issue,
    )
    if (!security) return jiraExternalAccess(browseReaders)
    const level = once(`level ${project.key} ${security.id}`, () =>
      levelReaders(jira, { project: project.key, level: security.id }, once),
    )
    const membersOf = (group: string) => once(`group ${group}`, () => groupEmails(jira, group, once))
    return jiraExternalAccess(
      await intersectJiraReaders(browseReaders, resolveIssueFields(await level, issue), membersOf),
    )
  }
}

/**
 * The groups that projects and security levels name. Groups in issue fields are not included, so they grant no access.
 */
export async function* listProjectGroups(
  jira: JiraClient,
  projects: readonly string[],
): AsyncGenerator<SourceGroup, void> {
  const once = createOncePerKey()
  const groupNames = new Set<string>()
  for (const project of projects) {
    for (const { groups } of [
      await projectReaders(jira, project, once),
      await levelReaders(jira, { project, level: null }, once),
    ]) {
      for (const it of groups) groupNames.add(it)
    }
  }
  for (const id of groupNames) yield { id, emails: await groupEmails(jira, id, once) }
}

const jiraExternalAccess = ({ isPublic, emails, groups }: JiraReaders): ExternalAccess => ({
  is_public: isPublic,
  external_user_emails: [...emails].sort(),
  external_user_group_ids: [...groups].sort(),
})

/** Intersects two reader sets. Groups in both stay groups; members of the other groups are compared individually. */
async function intersectJiraReaders(
  one: JiraReaders,
  other: JiraReaders,
  membersOf: EmailsOfGroup,
): Promise<JiraReaders> {
  if (one.isPublic) return other
  if (other.isPublic) return one
  const groups = one.groups.intersection(other.groups)
  const fromOne = await emailsBeyond(one, groups, membersOf)
  const fromOther = fromOne.size === 0 ? fromOne : await emailsBeyond(other, groups, membersOf)
  return { ...NOBODY, emails: fromOne.intersection(fromOther), groups }
}

type EmailsOfGroup = (group: string) => Promise<readonly string[]>

/** All readers who are not covered by a shared group. */
async function emailsBeyond(
  { emails, groups }: JiraReaders,
  shared: ReadonlySet<string>,
  membersOf: EmailsOfGroup,
): Promise<Set<string>> {
  const all = new Set(emails)
  for (const group of groups.difference(shared)) for (const it of await membersOf(group)) all.add(it)
  return all
}

const Members = z.object({ values: z.array(JiraUser), isLast: z.boolean().optional() })

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-groups/#api-rest-api-3-group-member-get */
async function groupEmails(jira: JiraClient, groupname: string, once: OncePerKey): Promise<string[]> {
  const emails: string[] = []
  for (let startAt = 0; ; ) {
    const query = new URLSearchParams({ groupname, startAt: String(startAt), maxResults: String(MEMBER_PAGE) })
    const page = await nullIfRefused(async () => validateAnswer(Members, await jira.request(`/group/member?${query}`)))
    for (const it of page?.values ?? []) emails.push(...(await userEmails(jira, it, once)))
    if (page === null || page.isLast !== false || page.values.length === 0) return emails
    startAt += page.values.length
  }
}

function resolveIssueFields(readers: JiraReaders, { fields }: JiraIssue): JiraReaders {
  const emails = new Set(readers.emails)
  const groups = new Set(readers.groups)
  for (const { type, parameter } of readers.byIssue) {
    if (type === 'reporter' && fields.reporter?.emailAddress) emails.add(fields.reporter.emailAddress)
    if (type === 'assignee' && fields.assignee?.emailAddress) emails.add(fields.assignee.emailAddress)
    const value = parameter ? fields[parameter] : undefined
    for (const it of Array.isArray(value) ? value : [value]) {
      const user = JiraUser.safeParse(it)
      if (!user.success) continue
      if (type === 'userCustomField' && user.data.emailAddress) emails.add(user.data.emailAddress)
      if (type === 'groupCustomField' && user.data.name) groups.add(user.data.name)
    }
  }
  return { ...readers, emails, groups }
}

async function projectReaders(jira: JiraClient, project: string, once: OncePerKey): Promise<JiraReaders> {
  const path = `/project/${encodeURIComponent(project)}/permissionscheme?expand=all`
  const scheme = await nullIfRefused(async () => validateAnswer(PermissionScheme, await jira.request(path)))
  const holders = (scheme?.permissions ?? []).filter((it) => it.permission === 'BROWSE_PROJECTS').map((it) => it.holder)
  return resolveHolders(jira, project, holders, once)
}

/** The readers of a security level, or of all levels if `level` is null. Jira Server does not expose the members. */
async function levelReaders(
  jira: JiraClient,
  { project, level }: { project: string; level: string | null },
  once: OncePerKey,
): Promise<JiraReaders> {
  if (!jira.isCloud) return NOBODY
  const scheme = await nullIfRefused(async () =>
    validateAnswer(
      SecurityScheme,
      await jira.request(`/project/${encodeURIComponent(project)}/issuesecuritylevelscheme`),
    ),
  )
  if (scheme === null) return NOBODY
  const holders: PermissionHolder[] = []
  for (let isLast = false; !isLast; ) {
    const query = new URLSearchParams({
      ...(level !== null && { issueSecurityLevelId: level }),
      expand: 'all',
      startAt: String(holders.length),
      maxResults: String(MEMBER_PAGE),
    })
    const path = `/issuesecurityschemes/${scheme.id}/members?${query}`
    const page = await nullIfRefused(async () => validateAnswer(LevelMembers, await jira.request(path)))
    if (page === null) return NOBODY
    holders.push(...page.values.map((it) => it.holder))
    isLast = page.isLast !== false || page.values.length === 0
  }
  return resolveHolders(jira, project, holders, once)
}

async function resolveHolders(
  jira: JiraClient,
  project: string,
  holders: readonly PermissionHolder[],
  once: OncePerKey,
): Promise<JiraReaders> {
  const emails = new Set<string>()
  const groups = new Set<string>()
  for (const holder of holders) {
    const found = await resolveHolder(jira, project, holder, once)
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

type ResolvedHolder = { emails: readonly string[]; groups: readonly string[] }

async function resolveHolder(
  jira: JiraClient,
  project: string,
  { type, parameter, user, group }: PermissionHolder,
  once: OncePerKey,
): Promise<ResolvedHolder> {
  const none: ResolvedHolder = { emails: [], groups: [] }
  if (type === 'group') return { ...none, groups: [group?.name ?? parameter].filter((it) => it != null) }
  if (type === 'user')
    return { ...none, emails: await userEmails(jira, user ?? { accountId: parameter, name: parameter }, once) }
  if (type === 'applicationRole') {
    const key = parameter ? `/${encodeURIComponent(parameter)}` : ''
    return { ...none, groups: await once(`applicationrole ${key}`, () => roleGroups(jira, key)) }
  }
  if (type === 'projectLead') {
    const asked = await nullIfRefused(async () =>
      validateAnswer(Project, await jira.request(`/project/${encodeURIComponent(project)}`)),
    )
    return { ...none, emails: asked?.lead ? await userEmails(jira, asked.lead, once) : [] }
  }
  if (type !== 'projectRole' || !parameter) return none
  const path = `/project/${encodeURIComponent(project)}/role/${encodeURIComponent(parameter)}`
  const role = await nullIfRefused(async () => validateAnswer(Role, await jira.request(path)))
  const emails: string[] = []
  const groups: string[] = []
  for (const { type, name, actorUser, actorGroup } of role?.actors ?? []) {
    const actor = { accountId: actorUser?.accountId, name }
    if (type === 'atlassian-user-role-actor') emails.push(...(await userEmails(jira, actor, once)))
    const group = actorGroup?.name ?? name
    if (type === 'atlassian-group-role-actor' && group) groups.push(group)
  }
  return { emails, groups }
}

async function roleGroups(jira: JiraClient, key: string): Promise<string[]> {
  const roles = await nullIfRefused(async () => {
    const answer = await jira.request(`/applicationrole${key}`)
    return validateAnswer(z.array(ApplicationRole), Array.isArray(answer) ? answer : [answer])
  })
  return (roles ?? []).flatMap((it) => it.groups)
}

/** Users who hide their e-mail address cannot be matched and get no access. */
async function userEmails(
  jira: JiraClient,
  { accountId, name, emailAddress }: JiraUser,
  once: OncePerKey,
): Promise<string[]> {
  if (emailAddress) return [emailAddress]
  const id = jira.isCloud ? accountId : name
  if (!id) return []
  return once(`user ${id}`, async () => {
    const path = `/user?${new URLSearchParams(jira.isCloud ? { accountId: id } : { username: id })}`
    const user = await nullIfRefused(async () => validateAnswer(JiraUser, await jira.request(path)))
    return user?.emailAddress ? [user.emailAddress] : []
  })
}

/** A refusal grants nobody access. An unreachable server ends the run and keeps the current access. */
async function nullIfRefused<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof JiraStatusError || (error instanceof SourceError && isRefused(error))) return null
    throw error
  }
}

const isRefused = ({ kind, status }: SourceError) => status === 403 || kind === 'unexpected'
