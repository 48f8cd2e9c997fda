// Resolves who may read each part of a GitLab project: https://docs.gitlab.com/user/permissions/
import { z } from 'zod'
import type { ExternalAccess } from '../../domain/access.ts'
import { validateAnswer } from '../rest/json-response.ts'
import { createOncePerKey } from '../rest/once-per-key.ts'
import { collectItems, nullIfStatus, type RestClient } from '../rest/rest-client.ts'

const level = z.string().nullish()

/** https://docs.gitlab.com/api/projects/#get-a-single-project */
export const GitLabProject = z.object({
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
export type GitLabProject = z.infer<typeof GitLabProject>

export type GitLabPart = 'issues' | 'confidential issues' | 'merge_requests' | 'files'
export type GitLabAccess = (part: GitLabPart) => Promise<ExternalAccess>

const GUEST = 10
const REPORTER = 20

const GitLabMember = z.object({ id: z.number(), access_level: z.number(), email: z.string().nullish() })
const GitLabUser = z.object({ email: z.string().nullish(), public_email: z.string().nullish() })

/**
 * Members with a visible e-mail address. For internal projects this is still only the members, because the API does not
 * list all accounts.
 */
export function createGitLabAccess(rest: RestClient, project: GitLabProject): GitLabAccess {
  const once = createOncePerKey()
  const memberEmails = (minLevel: number) => once(`from ${minLevel}`, () => listMemberEmails(rest, project, minLevel))
  return async (part) => {
    if (isPublic(project, part)) return { is_public: true, external_user_emails: [], external_user_group_ids: [] }
    const emails = await memberEmails(part === 'issues' ? GUEST : REPORTER)
    return { is_public: false, external_user_emails: emails, external_user_group_ids: [] }
  }
}

function isPublic(project: GitLabProject, part: GitLabPart): boolean {
  if (project.visibility !== 'public' || part === 'confidential issues') return false
  const levels = {
    issues: project.issues_access_level,
    merge_requests: project.merge_requests_access_level,
    files: project.repository_access_level,
  }
  return levels[part] === 'enabled' || levels[part] === 'public'
}

/**
 * https://docs.gitlab.com/api/members/#list-all-members-of-a-group-or-project-including-inherited-and-invited-members
 */
async function listMemberEmails(rest: RestClient, { id }: GitLabProject, minLevel: number): Promise<string[]> {
  const members =
    (await nullIfStatus(collectItems(rest, `/projects/${id}/members/all?per_page=100`, GitLabMember))) ?? []
  const emails = new Set<string>()
  for (const it of members.filter((it) => it.access_level >= minLevel)) {
    const email = it.email ?? (await fetchPublicEmail(rest, it.id))
    if (email) emails.add(email)
  }
  return [...emails].sort()
}

/** https://docs.gitlab.com/api/users/#get-a-single-user */
async function fetchPublicEmail(rest: RestClient, id: number): Promise<string | null> {
  const answer = await nullIfStatus(rest.fetchJson(`/users/${id}`))
  if (answer === null) return null
  const { email, public_email } = validateAnswer(GitLabUser, answer.value)
  return email || public_email || null
}
