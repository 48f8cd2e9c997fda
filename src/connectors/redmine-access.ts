// Who may read what in a Redmine: members by their roles, everybody else where a project is public.
import { z } from 'zod'
import { SourceError } from './connector.ts'
import type { Issue, Project, Redmine } from './redmine-api.ts'

export interface Readers {
  /** Whether somebody who has not signed in may look at issues at all, and at the wiki. */
  isOpen: { issues: boolean; wiki: boolean }
  issue(issue: Pick<Issue, 'author' | 'assigned_to' | 'is_private'>): string[]
  wiki: string[]
}

export interface RedmineAccess {
  /** Null: the key may not look at people and roles, so it is not known. */
  readersOf(project: Project): Promise<Readers | null>
  emailOf(id: number): string | null
}

const User = z.object({ id: z.number(), mail: z.string().nullish(), admin: z.boolean().default(false) })
type User = z.infer<typeof User>
const Group = z.object({ id: z.number(), builtin: z.string().optional() })
const Groups = z.object({ groups: z.array(Group) })
const GroupUsers = z.object({ group: z.object({ users: z.array(z.object({ id: z.number() })).default([]) }) })
const Roles = z.object({ roles: z.array(z.object({ id: z.number() })) })
const Role = z.object({
  role: z.object({
    id: z.number(),
    issues_visibility: z.string().default('own'),
    permissions: z.array(z.string()).default([]),
  }),
})
type Role = z.infer<typeof Role>['role']
const Membership = z.object({
  id: z.number(),
  user: z.object({ id: z.number() }).optional(),
  group: z.object({ id: z.number() }).optional(),
  roles: z.array(z.object({ id: z.number() })),
})
type Membership = z.infer<typeof Membership>

/** What is the same for all projects, asked for once a run. */
interface People {
  redmine: Redmine
  users: User[]
  /** Of groups that people made. */
  members: Map<number, number[]>
  nonMembers: number | null
  /** What those have who are no members of a public project; null where it is not known. */
  nonMemberRole: Role | null
  roles: Map<number, Promise<Role | null>>
}

export async function openAccess(redmine: Redmine): Promise<RedmineAccess> {
  const people = await peopleOf(redmine)
  const emails = new Map(people?.users.map((it) => [it.id, it.mail?.toLowerCase() || null]))
  return {
    readersOf: async (project) => (people === null ? null : readersOf(people, project)),
    emailOf: (id) => emails.get(id) ?? null,
  }
}

/** Only an administrator may see who there is. */
async function peopleOf(redmine: Redmine): Promise<People | null> {
  try {
    const users = await redmine.all('/users.json', 'users', User, [['status', '1']])
    const { groups } = (await redmine.find('/groups.json', [['builtin', '1']], Groups)) ?? { groups: [] }
    const members = new Map<number, number[]>()
    for (const { id, builtin } of groups) {
      if (builtin !== undefined) continue
      const found = await redmine.find(`/groups/${id}.json`, [['include', 'users']], GroupUsers)
      members.set(id, found?.group.users.map((it) => it.id) ?? [])
    }
    const roles = new Map<number, Promise<Role | null>>()
    const nonMembers = groups.find((it) => it.builtin === 'non_member')?.id ?? null
    return { redmine, users, members, nonMembers, nonMemberRole: await nonMemberRoleOf(redmine), roles }
  } catch (error) {
    if (error instanceof SourceError && error.status === 403) return null
    throw error
  }
}

const FIRST_IDS = [1, 2, 3, 4, 5]

/** The two that nobody can be given are in no list; the first of them, made first, is that of those who are no members. */
async function nonMemberRoleOf(redmine: Redmine): Promise<Role | null> {
  const listed = (await redmine.find('/roles.json', [], Roles))?.roles.map((it) => it.id) ?? []
  const unlisted: Role[] = []
  for (const id of FIRST_IDS.filter((it) => !listed.includes(it))) {
    const found = await redmine.find(`/roles/${id}.json`, [], Role)
    if (found !== null) unlisted.push(found.role)
  }
  return unlisted.length === 2 ? unlisted[0]! : null
}

const roleOf = ({ redmine, roles }: People, id: number): Promise<Role | null> => {
  const role = roles.get(id) ?? redmine.find(`/roles/${id}.json`, [], Role).then((found) => found?.role ?? null)
  roles.set(id, role)
  return role
}

/** What somebody sees of the issues: those that are theirs, those that are not private, all. */
const SIGHTS = ['none', 'own', 'default', 'all'] as const
type Sight = (typeof SIGHTS)[number]

interface Right {
  id: number
  email: string
  issues: Sight
  wiki: boolean
}

async function readersOf(people: People, project: Project): Promise<Readers> {
  const { redmine } = people
  const memberships = await redmine.all(`/projects/${project.id}/memberships.json`, 'memberships', Membership)
  const rights = await rightsOf(people, project, memberships)
  const one = [['limit', '1']] as const
  const isOpen = {
    issues: (await redmine.findOpen(`/projects/${project.id}/issues.json`, one, z.unknown())) !== null,
    wiki: (await redmine.findOpen(`/projects/${project.id}/wiki/index.json`, [], z.unknown())) !== null,
  }
  return {
    isOpen,
    issue: (issue) => rights.filter((it) => maySee(people, it, issue)).map((it) => it.email),
    wiki: rights.filter((it) => it.wiki).map((it) => it.email),
  }
}

function maySee({ members }: People, { id, issues }: Right, issue: Parameters<Readers['issue']>[0]): boolean {
  if (issues === 'all' || issues === 'none') return issues === 'all'
  if (issues === 'default' && !issue.is_private) return true
  const assigned = issue.assigned_to?.id ?? 0
  return issue.author?.id === id || assigned === id || (members.get(assigned)?.includes(id) ?? false)
}

/** Whoever is a member has the roles of a member alone: https://www.redmine.org/projects/redmine/wiki/RedmineRoles */
async function rightsOf(people: People, project: Project, memberships: readonly Membership[]): Promise<Right[]> {
  const rolesOfUser = new Map<number, Set<number>>()
  let others: number[] | null = null
  for (const { user, group, roles } of memberships) {
    const ids = roles.map((it) => it.id)
    if (group !== undefined && group.id === people.nonMembers) others = ids
    const users = user === undefined ? (people.members.get(group?.id ?? 0) ?? []) : [user.id]
    for (const it of users) rolesOfUser.set(it, new Set([...(rolesOfUser.get(it) ?? []), ...ids]))
  }
  const foreign = !project.is_public
    ? []
    : others === null
      ? [people.nonMemberRole]
      : await Promise.all(others.map((it) => roleOf(people, it)))
  const rights: Right[] = []
  for (const { id, mail, admin } of people.users) {
    const email = mail?.trim().toLowerCase()
    if (!email) continue
    const own = rolesOfUser.get(id)
    const roles = own === undefined ? foreign : await Promise.all([...own].map((it) => roleOf(people, it)))
    rights.push({ id, email, ...(admin ? { issues: 'all' as const, wiki: true } : sightOf(roles)) })
  }
  return rights.filter((it) => it.wiki || it.issues !== 'none').sort((one, other) => one.id - other.id)
}

function sightOf(roles: readonly (Role | null)[]): Pick<Right, 'issues' | 'wiki'> {
  const known = roles.flatMap((it) => it ?? [])
  const sights = known
    .filter((it) => it.permissions.includes('view_issues'))
    .map((it) => SIGHTS.find((sight) => sight === it.issues_visibility) ?? 'own')
  const best = Math.max(0, ...sights.map((it) => SIGHTS.indexOf(it)))
  return { issues: SIGHTS[best]!, wiki: known.some((it) => it.permissions.includes('view_wiki_pages')) }
}
