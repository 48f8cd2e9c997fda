// Who may read what of a project on GitLab: https://docs.gitlab.com/user/permissions/
import { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import { parsed } from './json-answer.ts'
import { openOnce } from './once.ts'
import { allOf, orNull, type Rest } from './source-rest.ts'

const level = z.string().nullish()

/** https://docs.gitlab.com/api/projects/#get-a-single-project */
export const Project = z.object({
  id: z.number(),
  path_with_namespace: z.string(),
  web_url: z.string(),
  visibility: z.string().nullish(),
  default_branch: z.string().nullish(),
  empty_repo: z.boolean().nullish(),
  issues_access_level: level,
  merge_requests_access_level: level,
  repository_access_level: level,
})
export type Project = z.infer<typeof Project>

export type Part = 'issues' | 'confidential issues' | 'merge_requests' | 'files'
export type ProjectAccess = (part: Part) => Promise<ExternalAccess>

const GUEST = 10
const REPORTER = 20

const Member = z.object({ id: z.number(), access_level: z.number(), email: z.string().nullish() })
const User = z.object({ email: z.string().nullish(), public_email: z.string().nullish() })

/**
 * Members by the address that they show. Where everybody with an account at the server may read, it is still the members
 * only, as nobody says who has an account.
 */
export function openProjectAccess(rest: Rest, project: Project): ProjectAccess {
  const once = openOnce()
  const members = (least: number) => once(`from ${least}`, () => emailsOf(rest, project, least))
  return async (part) => {
    if (isPublic(project, part)) return { is_public: true, external_user_emails: [], external_user_group_ids: [] }
    const emails = await members(part === 'issues' ? GUEST : REPORTER)
    return { is_public: false, external_user_emails: emails, external_user_group_ids: [] }
  }
}

function isPublic(project: Project, part: Part): boolean {
  if (project.visibility !== 'public' || part === 'confidential issues') return false
  const levels = {
    issues: project.issues_access_level,
    merge_requests: project.merge_requests_access_level,
    files: project.repository_access_level,
  }
  return levels[part] === 'enabled' || levels[part] === 'public'
}

/** https://docs.gitlab.com/api/members/#list-all-members-of-a-group-or-project-including-inherited-and-invited-members */
async function emailsOf(rest: Rest, { id }: Project, least: number): Promise<string[]> {
  const members = (await orNull(allOf(rest, `/projects/${id}/members/all?per_page=100`, Member))) ?? []
  const emails = new Set<string>()
  for (const it of members.filter((it) => it.access_level >= least)) {
    const email = it.email ?? (await shownEmail(rest, it.id))
    if (email) emails.add(email)
  }
  return [...emails].sort()
}

/** https://docs.gitlab.com/api/users/#get-a-single-user */
async function shownEmail(rest: Rest, id: number): Promise<string | null> {
  const answer = await orNull(rest.ask(`/users/${id}`))
  if (answer === null) return null
  const { email, public_email } = parsed(User, answer.value)
  return email || public_email || null
}
