// Who may read a repository of GitHub, and all that is in it. What the token may not see of this closes.
import { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import type { SourceGroup } from './connector.ts'
import { parsed } from './json-answer.ts'
import { openOnce } from './once.ts'
import { allOf, orNull, type Rest } from './source-rest.ts'

/** https://docs.github.com/en/rest/repos/repos#get-a-repository */
export const Repository = z.object({
  name: z.string(),
  full_name: z.string(),
  html_url: z.string(),
  private: z.boolean(),
  visibility: z.string().nullish(),
  default_branch: z.string().nullish(),
  owner: z.object({ login: z.string() }),
})
export type Repository = z.infer<typeof Repository>

const PUBLIC: ExternalAccess = { is_public: true, external_user_emails: [], external_user_group_ids: [] }

const Login = z.object({ login: z.string() })
const Team = z.object({ slug: z.string() })
const User = z.object({ email: z.string().nullish() })

export interface RepositoryAccess {
  /**
   * Collaborators by their addresses, where they show them; teams as groups `owner/team`, and where the whole organization
   * reads, the group of its name.
   */
  readersOf(repository: Repository): Promise<ExternalAccess>
  /** Those that the repository names, once for all repositories. */
  newGroupsOf(repository: Repository): AsyncGenerator<SourceGroup, void>
}

/** Each person is asked for once. */
export function openRepositoryAccess(rest: Rest): RepositoryAccess {
  const once = openOnce()
  const given = new Set<string>()
  const emailsAt = async (path: string): Promise<string[]> => {
    const emails = new Set<string>()
    for (const { login } of (await orNull(allOf(rest, `${path}?per_page=100`, Login))) ?? []) {
      const email = await once(login, () => emailOf(rest, login))
      if (email !== null) emails.add(email)
    }
    return [...emails].sort()
  }
  return {
    async readersOf(repository) {
      if (isOpen(repository)) return PUBLIC
      return {
        is_public: false,
        // https://docs.github.com/en/rest/collaborators/collaborators#list-repository-collaborators
        external_user_emails: await emailsAt(`/repos/${repository.full_name}/collaborators`),
        external_user_group_ids: (await groupsOf(rest, repository)).map((it) => it.id).sort(),
      }
    },
    async *newGroupsOf(repository) {
      if (isOpen(repository)) return
      for (const { id, members } of await groupsOf(rest, repository)) {
        if (given.has(id)) continue
        given.add(id)
        yield { id, emails: await emailsAt(members) }
      }
    },
  }
}

const isOpen = ({ private: isPrivate, visibility }: Repository) => !isPrivate && visibility !== 'internal'

/** `members`: where the source names them. */
async function groupsOf(
  rest: Rest,
  { full_name, visibility, owner: { login } }: Repository,
): Promise<{ id: string; members: string }[]> {
  // https://docs.github.com/en/rest/repos/repos#list-repository-teams
  const teams = (await orNull(allOf(rest, `/repos/${full_name}/teams?per_page=100`, Team))) ?? []
  return [
    // https://docs.github.com/en/rest/orgs/members#list-organization-members
    ...(visibility === 'internal' ? [{ id: login, members: `/orgs/${login}/members` }] : []),
    // https://docs.github.com/en/rest/teams/members#list-team-members
    ...teams.map(({ slug }) => ({ id: `${login}/${slug}`, members: `/orgs/${login}/teams/${slug}/members` })),
  ]
}

async function emailOf(rest: Rest, login: string): Promise<string | null> {
  const answer = await orNull(rest.ask(`/users/${encodeURIComponent(login)}`))
  return (answer === null ? null : parsed(User, answer.value).email) || null
}
