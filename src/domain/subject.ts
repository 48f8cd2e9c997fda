// Who asks, and what they may do.

export const ROLES = ['admin', 'curator', 'basic', 'limited'] as const
export type Role = (typeof ROLES)[number]

export const SCOPES = ['ingest', 'search', 'chat', 'connectors', 'tools', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** What a route may ask for. */
export type Right = 'admin' | 'connectors' | 'ingest' | 'tools' | 'search' | 'chat' | 'files'

export interface Subject {
  /** Null for the operator's own key from the environment. */
  api_key_id: number | null
  user_id: string
  /** The person the key acts for, if any: that person's documents are what it sees. */
  email: string | null
  groups: readonly string[]
  role: Role
  rights: ReadonlySet<Right>
  scopes: readonly Scope[] | null
}

const RIGHTS_OF_ROLE: Record<Role, readonly Right[]> = {
  admin: ['admin', 'connectors', 'ingest', 'tools', 'search', 'chat', 'files'],
  curator: ['connectors', 'ingest', 'tools', 'search', 'chat', 'files'],
  basic: ['tools', 'search', 'chat', 'files'],
  limited: [],
}

const RIGHTS_OF_SCOPE: Record<Scope, readonly Right[]> = {
  admin: ['admin', 'connectors', 'ingest', 'tools', 'search', 'chat', 'files'],
  connectors: ['connectors', 'files'],
  ingest: ['ingest', 'files'],
  tools: ['tools'],
  search: ['search'],
  chat: ['chat', 'search', 'files'],
}

/** What a scope gives even to a key whose role has nothing of it: pushing, searching and asking, never administration. */
const GRANTED: Record<Role, readonly Scope[]> = {
  admin: [],
  curator: [],
  basic: ['ingest'],
  limited: ['ingest', 'search', 'chat'],
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
