// Reaches a directory as a sign-in does, without a person: the connection, the account that searches, and what it sees.
import { InsufficientAccessError, NoSuchObjectError } from 'ldapts'
import { type Directory, type DirectoryDeps, openDirectory } from './open-directory.ts'
import { bindSearcher, type LdapProvider } from './prove-account.ts'

export interface DirectoryCheck {
  is_encrypted: boolean
  /** The account that searched. Null: the search is anonymous, or people are not searched for. */
  bound_as: string | null
  /** Whether the entry below which people are searched exists and can be read. Null: people are not searched for. */
  sees_people: boolean | null
  /** Null: groups are not searched, or are searched by the person. */
  sees_groups: boolean | null
}

const CHECK_MS = 30_000

/** Rejects with an EgressError or an error of ldapts. */
export async function checkDirectory(deps: DirectoryDeps, provider: LdapProvider): Promise<DirectoryCheck> {
  const { url, start_tls, people, groups } = provider.settings.ldap
  const signal = AbortSignal.timeout(CHECK_MS)
  const directory = await openDirectory(deps, provider.settings.ldap, { providerId: provider.id, signal })
  try {
    const is_encrypted = start_tls || url.toLowerCase().startsWith('ldaps:')
    if (people.kind === 'template') return { is_encrypted, bound_as: null, sees_people: null, sees_groups: null }
    await bindSearcher(directory, provider)
    return {
      ...{ is_encrypted, bound_as: people.bind_dn },
      sees_people: await sees(directory, people.base_dn),
      sees_groups: groups === null ? null : await sees(directory, groups.base_dn),
    }
  } finally {
    await directory.close()
  }
}

/** Servers that hide an entry answer either that it does not exist or nothing. */
async function sees(directory: Directory, dn: string): Promise<boolean> {
  const search = { scope: 'base', filter: '(objectClass=*)', attributes: ['objectClass'], maxEntries: 1 } as const
  try {
    return (await directory.search(dn, search)).length > 0
  } catch (error) {
    if (error instanceof NoSuchObjectError || error instanceof InsufficientAccessError) return false
    throw error
  }
}
