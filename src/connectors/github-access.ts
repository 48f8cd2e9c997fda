// Who may read a repository of GitHub, and all that is in it. What the token may not see of this closes.
import { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import { allOf, orNull, parsed, type Rest } from './source-rest.ts'

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

/**
 * Collaborators by their addresses, where they show them; teams as groups `owner/team`, and where the whole organization
 * reads, the group of its name.
 */
export async function readersOfRepository(
  rest: Rest,
  { full_name, private: isPrivate, visibility, owner }: Repository,
): Promise<ExternalAccess> {
  if (!isPrivate && visibility !== 'internal') return PUBLIC
  // https://docs.github.com/en/rest/repos/repos#list-repository-teams
  const teams = (await orNull(allOf(rest, `/repos/${full_name}/teams?per_page=100`, Team))) ?? []
  // https://docs.github.com/en/rest/collaborators/collaborators#list-repository-collaborators
  const people = (await orNull(allOf(rest, `/repos/${full_name}/collaborators?per_page=100`, Login))) ?? []
  const emails = new Set<string>()
  for (const { login } of people) {
    const answer = await orNull(rest.ask(`/users/${encodeURIComponent(login)}`))
    const email = answer === null ? null : parsed(User, answer.value).email
    if (email) emails.add(email)
  }
  return {
    is_public: false,
    external_user_emails: [...emails].sort(),
    external_user_group_ids: [
      ...(visibility === 'internal' ? [owner.login] : []),
      ...teams.map((it) => `${owner.login}/${it.slug}`),
    ].sort(),
  }
}
