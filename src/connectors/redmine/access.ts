// Resolves who may read what in Redmine: members by their roles, everyone else if the project is public.
import { z } from 'zod'
import { SourceError } from '../connector.ts'
import type { RedmineClient, RedmineIssue, RedmineProject } from './client.ts'

export interface ProjectReaders {
  /** Whether anonymous users may see issues and the wiki. */
  isPublic: { issues: boolean; wiki: boolean }
  issue(issue: Pick<RedmineIssue, 'author' | 'assigned_to' | 'is_private'>): string[]
  wiki: string[]
}

export interface RedmineAccess {
  /** Null if the key may not list users and roles. */
  readersOf(project: RedmineProject): Promise<ProjectReaders | null>
  emailOf(id: number): string | null
}

const RedmineUser = z.object({ id: z.number(), mail: z.string().nullish(), admin: z.boolean().default(false) })
type RedmineUser = z.infer<typeof RedmineUser>
const Group = z.object({ id: z.number(), builtin: z.string().optional() })
const Groups = z.object({ groups: z.array(Group) })
const GroupUsers = z.object({ group: z.object({ users: z.array(z.object({ id: z.number() })).default([]) }) })
const Roles = z.object({ roles: z.array(z.object({ id: z.number() })) })
const RedmineRole = z.object({
  role: z.object({
    id: z.number(),
    issues_visibility: z.string().default('own'),
    permissions: z.array(z.string()).default([]),
  }),
})
type RedmineRole = z.infer<typeof RedmineRole>['role']
const RedmineMembership = z.object({
  id: z.number(),
  user: z.object({ id: z.number() }).optional(),
  group: z.object({ id: z.number() }).optional(),
  roles: z.array(z.object({ id: z.number() })),
})
type RedmineMembership = z.infer<typeof RedmineMembership>

/** Users, groups and roles of all projects, loaded once per run. */
interface RedmineDirectory {
  redmine: RedmineClient
  users: RedmineUser[]
  /** Members of custom groups. */
  members: Map<number, number[]>
  nonMembers: number | null
  /** The role of non-members in public projects, or null if unknown. */
  nonMemberRole: RedmineRole | null
  roles: Map<number, Promise<RedmineRole | null>>
}

export async function createRedmineAccess(redmine: RedmineClient): Promise<RedmineAccess> {
  const directory = await loadDirectory(redmine)
  const emails = new Map(directory?.users.map((it) => [it.id, it.mail?.toLowerCase() || null]))
  return {
    readersOf: async (project) => (directory === null ? null : readersOf(directory, project)),
    emailOf: (id) => emails.get(id) ?? null,
  }
}

/** Null unless the key belongs to an administrator. */
async function loadDirectory(redmine: RedmineClient): Promise<RedmineDirectory | null> {
  try {
    const users = await redmine.list('/users.json', 'users', RedmineUser, [['status', '1']])
    const { groups } = (await redmine.get('/groups.json', [['builtin', '1']], Groups)) ?? { groups: [] }
    const members = new Map<number, number[]>()
    for (const { id, builtin } of groups) {
      if (builtin !== undefined) continue
      const found = await redmine.get(`/groups/${id}.json`, [['include', 'users']], GroupUsers)
      members.set(id, found?.group.users.map((it) => it.id) ?? [])
    }
    const roles = new Map<number, Promise<RedmineRole | null>>()
    const nonMembers = groups.find((it) => it.builtin === 'non_member')?.id ?? null
    return { redmine, users, members, nonMembers, nonMemberRole: await findNonMemberRole(redmine), roles }
  } catch (error) {
    if (error instanceof SourceError && error.status === 403) return null
    throw error
  }
}

const FIRST_IDS = [1, 2, 3, 4, 5]

/** The two built-in roles are not listed. "Non member" is created first and has the lower id. */
async function findNonMemberRole(redmine: RedmineClient): Promise<RedmineRole | null> {
  const listed = (await redmine.get('/roles.json', [], Roles))?.roles.map((it) => it.id) ?? []
  const unlisted: RedmineRole[] = []
  for (const id of FIRST_IDS.filter((it) => !listed.includes(it))) {
    const found = await redmine.get(`/roles/${id}.json`, [], RedmineRole)
    if (found !== null) unlisted.push(found.role)
  }
  const [nonMember, anonymous, ...others] = unlisted
  return nonMember !== undefined && anonymous !== undefined && others.length === 0 ? nonMember : null
}

const fetchRole = ({ redmine, roles }: RedmineDirectory, id: number): Promise<RedmineRole | null> => {
  const role = roles.get(id) ?? redmine.get(`/roles/${id}.json`, [], RedmineRole).then((found) => found?.role ?? null)
  roles.set(id, role)
  return role
}

/** Issue visibility in ascending order: own issues, non-private issues, all issues. */
const ISSUE_VISIBILITIES = ['none', 'own', 'default', 'all'] as const
type IssueVisibility = (typeof ISSUE_VISIBILITIES)[number]

interface UserRight {
  id: number
  email: string
  issues: IssueVisibility
  wiki: boolean
}

async function readersOf(directory: RedmineDirectory, project: RedmineProject): Promise<ProjectReaders> {
  const { redmine } = directory
  const memberships = await redmine.list(`/projects/${project.id}/memberships.json`, 'memberships', RedmineMembership)
  const rights = await listUserRights(directory, project, memberships)
  const firstOnly = [['limit', '1']] as const
  const isOpen = {
    issues: (await redmine.getAnonymously(`/projects/${project.id}/issues.json`, firstOnly, z.unknown())) !== null,
    wiki: (await redmine.getAnonymously(`/projects/${project.id}/wiki/index.json`, [], z.unknown())) !== null,
  }
  return {
    isPublic: isOpen,
    issue: (candidate) => rights.filter((it) => canSeeIssue(directory, it, candidate)).map((it) => it.email),
    wiki: rights.filter((it) => it.wiki).map((it) => it.email),
  }
}

function canSeeIssue(
  { members }: RedmineDirectory,
  { id, issues }: UserRight,
  issue: Parameters<ProjectReaders['issue']>[0],
): boolean {
  if (issues === 'all' || issues === 'none') return issues === 'all'
  if (issues === 'default' && !issue.is_private) return true
  const assigned = issue.assigned_to?.id ?? 0
  return issue.author?.id === id || assigned === id || (members.get(assigned)?.includes(id) ?? false)
}

/** Members have only the roles of their membership: https://www.redmine.org/projects/redmine/wiki/RedmineRoles */
async function listUserRights(
  directory: RedmineDirectory,
  project: RedmineProject,
  memberships: readonly RedmineMembership[],
): Promise<UserRight[]> {
  const rolesOfUser = new Map<number, Set<number>>()
  let nonMemberRoleIds: number[] | null = null
  for (const { user, group, roles } of memberships) {
    const ids = roles.map((it) => it.id)
    if (group !== undefined && group.id === directory.nonMembers) nonMemberRoleIds = ids
    const users = user === undefined ? (directory.members.get(group?.id ?? 0) ?? []) : [user.id]
    for (const it of users) rolesOfUser.set(it, new Set([...(rolesOfUser.get(it) ?? []), ...ids]))
  }
  const nonMemberRoles = !project.is_public
    ? []
    : nonMemberRoleIds === null
      ? [directory.nonMemberRole]
      : await Promise.all(nonMemberRoleIds.map((it) => fetchRole(directory, it)))
  const rights: UserRight[] = []
  for (const { id, mail, admin } of directory.users) {
    const email = mail?.trim().toLowerCase()
    if (!email) continue
    const memberRoles = rolesOfUser.get(id)
    const roles =
      memberRoles === undefined
        ? nonMemberRoles
        : await Promise.all([...memberRoles].map((it) => fetchRole(directory, it)))
    rights.push({ id, email, ...(admin ? { issues: 'all' as const, wiki: true } : visibilityOf(roles)) })
  }
  return rights.filter((it) => it.wiki || it.issues !== 'none').sort((one, other) => one.id - other.id)
}

function visibilityOf(roles: readonly (RedmineRole | null)[]): Pick<UserRight, 'issues' | 'wiki'> {
  const known = roles.flatMap((it) => it ?? [])
  const visibilities = known
    .filter((it) => it.permissions.includes('view_issues'))
    .map((it) => ISSUE_VISIBILITIES.find((sight) => sight === it.issues_visibility) ?? 'own')
  const issues = ISSUE_VISIBILITIES.findLast((it) => visibilities.includes(it)) ?? 'none'
  return { issues, wiki: known.some((it) => it.permissions.includes('view_wiki_pages')) }
}
