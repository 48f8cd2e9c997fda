// Resolves who may read a GitHub repository and its contents. Permissions that the token cannot see grant nobody
// access.
import { z } from 'zod'
import type { ExternalAccess } from '../../domain/access.ts'
import type { SourceGroup } from '../connector.ts'
import { validateAnswer } from '../rest/json-response.ts'
import { createOncePerKey } from '../rest/once-per-key.ts'
import { collectItems, nullIfStatus, type RestClient } from '../rest/rest-client.ts'

/** https://docs.github.com/en/rest/repos/repos#get-a-repository */
export const GitHubRepository = z.object({
  name: z.string(),
  full_name: z.string(),
  html_url: z.string(),
  private: z.boolean(),
  visibility: z.string().nullish(),
  default_branch: z.string().nullish(),
  owner: z.object({ login: z.string() }),
})
export type GitHubRepository = z.infer<typeof GitHubRepository>

const PUBLIC: ExternalAccess = { is_public: true, external_user_emails: [], external_user_group_ids: [] }

const GitHubLogin = z.object({ login: z.string() })
const GitHubTeam = z.object({ slug: z.string() })
const GitHubUser = z.object({ email: z.string().nullish() })

export interface GitHubAccess {
  /**
   * Collaborators with a public e-mail address, teams as groups named `owner/team`, and for internal repositories the
   * organization as a group.
   */
  accessOf(repository: GitHubRepository): Promise<ExternalAccess>
  /** The repository's groups that no earlier call yielded. */
  unseenGroupsOf(repository: GitHubRepository): AsyncGenerator<SourceGroup, void>
}

/** Fetches each person once. */
export function createGitHubAccess(rest: RestClient): GitHubAccess {
  const once = createOncePerKey()
  const yieldedGroups = new Set<string>()
  const emailsOfMembers = async (path: string): Promise<string[]> => {
    const emails = new Set<string>()
    for (const { login } of (await nullIfStatus(collectItems(rest, `${path}?per_page=100`, GitHubLogin))) ?? []) {
      const email = await once(login, () => fetchGitHubEmail(rest, login))
      if (email !== null) emails.add(email)
    }
    return [...emails].sort()
  }
  return {
    async accessOf(repository) {
      if (isPublicRepository(repository)) return PUBLIC
      return {
        is_public: false,
        // https://docs.github.com/en/rest/collaborators/collaborators#list-repository-collaborators
        external_user_emails: await emailsOfMembers(`/repos/${repository.full_name}/collaborators`),
        external_user_group_ids: (await listGitHubGroups(rest, repository)).map((it) => it.id).sort(),
      }
    },
    async *unseenGroupsOf(repository) {
      if (isPublicRepository(repository)) return
      for (const { id, members } of await listGitHubGroups(rest, repository)) {
        if (yieldedGroups.has(id)) continue
        yieldedGroups.add(id)
        yield { id, emails: await emailsOfMembers(members) }
      }
    },
  }
}

const isPublicRepository = ({ private: isPrivate, visibility }: GitHubRepository) =>
  !isPrivate && visibility !== 'internal'

/** `members` is the API path of the member list. */
async function listGitHubGroups(
  rest: RestClient,
  { full_name, visibility, owner: { login } }: GitHubRepository,
): Promise<{ id: string; members: string }[]> {
  // https://docs.github.com/en/rest/repos/repos#list-repository-teams
  const teams = (await nullIfStatus(collectItems(rest, `/repos/${full_name}/teams?per_page=100`, GitHubTeam))) ?? []
  return [
    // https://docs.github.com/en/rest/orgs/members#list-organization-members
    ...(visibility === 'internal' ? [{ id: login, members: `/orgs/${login}/members` }] : []),
    // https://docs.github.com/en/rest/teams/members#list-team-members
    ...teams.map(({ slug }) => ({ id: `${login}/${slug}`, members: `/orgs/${login}/teams/${slug}/members` })),
  ]
}

async function fetchGitHubEmail(rest: RestClient, login: string): Promise<string | null> {
  const answer = await nullIfStatus(rest.fetchJson(`/users/${encodeURIComponent(login)}`))
  return (answer === null ? null : validateAnswer(GitHubUser, answer.value).email) || null
}
