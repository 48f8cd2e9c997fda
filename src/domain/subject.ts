// Who asks, and what they may do.

export const ROLES = ['admin', 'curator', 'basic', 'limited'] as const
export type Role = (typeof ROLES)[number]

export const SCOPES = ['ingest', 'search', 'chat', 'connectors', 'tools', 'admin', 'metrics'] as const
export type Scope = (typeof SCOPES)[number]

/** What a personal access token may be narrowed to, in the words of the wire. */
export const PAT_SCOPES = ['read:search', 'read:chat', 'write:chat'] as const
export type PatScope = (typeof PAT_SCOPES)[number]

/** What a route may ask for. `pats`: to make tokens and to see one's own. */
export type Right =
  | 'admin'
  | 'connectors'
  | 'ingest'
  | 'tools'
  | 'search'
  | 'chat'
  | 'read:chat'
  | 'files'
  | 'pats'
  | 'metrics'

export interface Subject {
  /** The key that asks, or that the asking token was made with. Null for the operator's own from the environment. */
  api_key_id: number | null
  user_id: string
  /** The person the key acts for, if any: that person's documents are what it sees. */
  email: string | null
  groups: readonly string[]
  role: Role
  rights: ReadonlySet<Right>
  scopes: readonly (Scope | PatScope)[] | null
}

/** To whom what a key makes belongs: the person it acts for, whichever of their keys it was; else the key alone. */
export const ownerOf = ({ email, user_id }: Pick<Subject, 'email' | 'user_id'>): string =>
  email?.toLowerCase() ?? user_id

const RIGHTS_OF_ROLE: Record<Role, readonly Right[]> = {
  admin: ['admin', 'connectors', 'ingest', 'tools', 'search', 'chat', 'files', 'pats', 'metrics'],
  curator: ['connectors', 'ingest', 'tools', 'search', 'chat', 'files', 'pats'],
  basic: ['tools', 'search', 'chat', 'files', 'pats'],
  limited: [],
}

const RIGHTS_OF_SCOPE: Record<Scope, readonly Right[]> = {
  admin: ['admin', 'connectors', 'ingest', 'tools', 'search', 'chat', 'files', 'pats', 'metrics'],
  connectors: ['connectors', 'files'],
  ingest: ['ingest', 'files'],
  tools: ['tools'],
  search: ['search'],
  chat: ['chat', 'search', 'files'],
  metrics: ['metrics'],
}

/** What a scope gives even to a key whose role has nothing of it: pushing, searching, asking and watching, never administration. */
const GRANTED: Record<Role, readonly Scope[]> = {
  admin: [],
  curator: [],
  basic: ['ingest'],
  limited: ['ingest', 'search', 'chat', 'metrics'],
}

/** Scopes narrow what the role allows; the one exception is what `GRANTED` names. */
export function rightsOf(role: Role, scopes: readonly Scope[] | null): ReadonlySet<Right> {
  const allowed: readonly Right[] = RIGHTS_OF_ROLE[role]
  if (scopes === null) return new Set(allowed)
  return new Set(
    scopes.flatMap((scope) =>
      GRANTED[role].includes(scope)
        ? RIGHTS_OF_SCOPE[scope]
        : RIGHTS_OF_SCOPE[scope].filter((right) => allowed.includes(right)),
    ),
  )
}

/** What a scope of a token gives, if the owner has the right it needs. */
const PAT_RIGHTS: Record<PatScope, { needs: Right; gives: Right }> = {
  'read:search': { needs: 'search', gives: 'search' },
  'read:chat': { needs: 'chat', gives: 'read:chat' },
  'write:chat': { needs: 'chat', gives: 'chat' },
}

/** A token never has more than its owner, and it makes no further tokens: a narrow one could make itself a wide one. */
export function rightsOfPat(owner: ReadonlySet<Right>, scopes: readonly PatScope[] | null): ReadonlySet<Right> {
  if (scopes === null) return new Set([...owner].filter((right) => right !== 'pats'))
  const granted = scopes.map((scope) => PAT_RIGHTS[scope]).filter(({ needs }) => owner.has(needs))
  return new Set(granted.map(({ gives }) => gives))
}
