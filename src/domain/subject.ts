// The authenticated caller and its rights.

/** From most to least rights. A `curator` manages what belongs to the groups that they curate, a `global_curator` everything. */
export const ROLES = ['admin', 'global_curator', 'curator', 'basic', 'limited'] as const
export type Role = (typeof ROLES)[number]

/** True if role `a` has more rights than role `b`. */
export const isHigherRole = (a: Role, b: Role): boolean => ROLES.indexOf(a) < ROLES.indexOf(b)

/** Begins the names under which records store that a person, not a key, owns something. */
export const PERSON_PREFIX = 'person:'

/** Two addresses with the same key belong to the same person. */
export const emailKeyOf = (email: string): string => email.toLowerCase()

export const SCOPES = ['ingest', 'search', 'chat', 'connectors', 'tools', 'admin', 'metrics'] as const
export type Scope = (typeof SCOPES)[number]

/** The scopes of personal access tokens, spelled as in the wire format. */
export const PAT_SCOPES = ['read:search', 'read:chat', 'write:chat', 'use:llm_gateway'] as const
export type PatScope = (typeof PAT_SCOPES)[number]

export const RIGHTS = [
  'admin',
  'connectors',
  'curate',
  'ingest',
  'tools',
  'search',
  'chat',
  'read:chat',
  'files',
  'pats',
  'metrics',
  'scim',
] as const

/**
 * The right that a route requires. `connectors`: manage those of the whole service. `curate`: manage what belongs to the
 * curated groups (rights/may-manage.ts), and their members. `pats`: create and list one's own tokens.
 * `scim`: the directory; no key has it.
 */
export type Right = (typeof RIGHTS)[number]

/** The credential that authenticated the caller. Its id lets what was made with it end with it. */
export interface CallerCredential {
  /** `person`: a person who has signed in themselves. */
  kind: 'key' | 'pat' | 'call_token' | 'person' | 'scim'
  /** The id of the person for `person`. Null for the operator's key from the environment. */
  kid: string | null
}

export interface Subject {
  /** The calling key, or the key that the token was made with. Null for the operator's key and for a person. */
  api_key_id: number | null
  /** The id of the person, or of the key if it acts for nobody. It owns everything that the caller creates. */
  user_id: string
  /** The person who calls, or for whom the key acts. Null for a key that acts for nobody. */
  person_id: string | null
  /** The id under which the use of language models is counted: the key's own, or the person's. */
  usage_id: string
  /** The address of the person: the caller sees that person's documents. */
  email: string | null
  groups: readonly string[]
  /** Those of the groups that the caller curates. They count with the right `curate` only. */
  curated_groups: readonly string[]
  role: Role
  rights: ReadonlySet<Right>
  scopes: readonly (Scope | PatScope)[] | null
  credential: CallerCredential
}

/**
 * Clients expect everybody to have an address. Without one, a name under a domain reserved by RFC 2606 is returned:
 * mail to it is never delivered, and it is never used for lookups.
 */
export const displayEmail = ({ email, user_id }: Pick<Subject, 'email' | 'user_id'>): string =>
  email ?? `${user_id}@key.invalid`

/** A token expires, or ends with its key; only a key itself or a person may create lasting things. */
export const usesToken = ({ credential: { kind } }: Pick<Subject, 'credential'>): boolean =>
  kind === 'pat' || kind === 'call_token'

/** A shared tool acts for other people and receives their words, so sharing requires a right to manage connectors. */
export const canShareTools = ({ rights }: Pick<Subject, 'rights'>): boolean => rights.has('connectors')

/** Only an administrator may let tools receive tokens of other users, and not by means of a token. */
export const canGrantPassthrough = (subject: Pick<Subject, 'rights' | 'credential'>): boolean =>
  subject.rights.has('admin') && !usesToken(subject)

const RIGHTS_OF_ROLE: Record<Role, readonly Right[]> = {
  admin: ['admin', 'connectors', 'ingest', 'tools', 'search', 'chat', 'files', 'pats', 'metrics'],
  global_curator: ['connectors', 'ingest', 'tools', 'search', 'chat', 'files', 'pats'],
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

/**
 * Scopes that work even if the role lacks their rights: ingesting, searching, chatting and metrics, never
 * administration.
 */
const ALWAYS_GRANTED: Record<Role, readonly Scope[]> = {
  admin: [],
  global_curator: [],
  curator: [],
  basic: ['ingest'],
  limited: ['ingest', 'search', 'chat', 'metrics'],
}

/** Scopes narrow the rights of the role, with the exception of `ALWAYS_GRANTED`. */
export function rightsOfKey(role: Role, scopes: readonly Scope[] | null): ReadonlySet<Right> {
  const allowed: readonly Right[] = RIGHTS_OF_ROLE[role]
  if (scopes === null) return new Set(allowed)
  return new Set(
    scopes.flatMap((scope) =>
      ALWAYS_GRANTED[role].includes(scope)
        ? RIGHTS_OF_SCOPE[scope]
        : RIGHTS_OF_SCOPE[scope].filter((right) => allowed.includes(right)),
    ),
  )
}

/** A person, and whether they curate one of the groups that the caller has. */
interface RightsHolder {
  role: Role
  isCurator: boolean
}

/** The rights of a person. */
export const rightsOfPerson = (person: RightsHolder): ReadonlySet<Right> =>
  limitToPerson(rightsOfKey(person.role, null), person)

/** The rights of a key that acts for a person: no more than the person has with the same scopes. */
export function rightsOfPersonKey(
  key: { role: Role; scopes: readonly Scope[] | null },
  person: RightsHolder,
): ReadonlySet<Right> {
  const own = rightsOfKey(key.role, key.scopes)
  const rights = isHigherRole(key.role, person.role) ? own.intersection(rightsOfKey(person.role, key.scopes)) : own
  return limitToPerson(rights, person)
}

/**
 * `connectors` covers every object of the service. A person with the role `curator` has `curate` in its place, and
 * neither as long as they curate no group. A global curator has both.
 */
function limitToPerson(rights: ReadonlySet<Right>, { role, isCurator }: RightsHolder): ReadonlySet<Right> {
  if (!rights.has('connectors')) return rights
  if (role === 'global_curator') return rights.union(new Set<Right>(['curate']))
  if (role !== 'curator') return rights
  const others = rights.difference(new Set<Right>(['connectors']))
  return isCurator ? others.union(new Set<Right>(['curate'])) : others
}

/** The rights that a token scope gives if its owner has the right it needs. */
const PAT_RIGHTS: Record<PatScope, { needs: Right; gives: readonly Right[] }> = {
  'read:search': { needs: 'search', gives: ['search'] },
  'read:chat': { needs: 'chat', gives: ['read:chat'] },
  'write:chat': { needs: 'chat', gives: ['chat', 'read:chat'] },
  // There is no gateway: clients that request the scope get a token that opens nothing.
  'use:llm_gateway': { needs: 'chat', gives: [] },
}

/**
 * A token never has more rights than its owner, and cannot create tokens: otherwise a narrow token could create a wide
 * one.
 */
export function rightsOfPat(owner: ReadonlySet<Right>, scopes: readonly PatScope[] | null): ReadonlySet<Right> {
  if (scopes === null) return new Set([...owner].filter((right) => right !== 'pats'))
  const granted = scopes.map((scope) => PAT_RIGHTS[scope]).filter(({ needs }) => owner.has(needs))
  return new Set(granted.flatMap(({ gives }) => gives))
}

/** The permissions of the wire. Existing clients show and hide their controls by them; the routes check rights. */
export const PERMISSIONS = [
  'basic',
  'admin',
  'add:agents',
  'manage:agents',
  'manage:document_sets',
  'manage:connectors',
  'manage:llms',
  'manage:actions',
  'manage:skills',
  'manage:user_groups',
  'manage:service_account_api_keys',
  'manage:bots',
  'read:connectors',
  'read:document_sets',
  'read:agents',
  'read:users',
  'read:user_groups',
  'read:search',
  'read:chat',
  'read:admin',
  'read:query_history',
  'read:agent_analytics',
  'write:chat',
  'generate:image',
  'use:llm_gateway',
  'create:user_api_keys',
  'craft_sandbox',
] as const
export type Permission = (typeof PERMISSIONS)[number]

/** Metrics, ingestion and files have no permission on the wire. */
const PERMISSIONS_OF_RIGHT: Record<Right, readonly Permission[]> = {
  admin: PERMISSIONS,
  connectors: ['manage:connectors', 'read:connectors', 'manage:document_sets', 'read:document_sets'],
  // They hold for the curated groups, which a key that acts for nobody does not have. Members alone are not all that `manage:user_groups` stands for.
  curate: ['manage:connectors', 'read:connectors', 'read:user_groups', 'manage:document_sets', 'read:document_sets'],
  ingest: [],
  tools: ['manage:actions'],
  search: ['read:search'],
  chat: ['read:chat', 'write:chat', 'add:agents', 'read:agents'],
  'read:chat': ['read:chat'],
  files: [],
  pats: ['create:user_api_keys'],
  metrics: [],
  scim: [],
}

const BASIC_RIGHTS: ReadonlySet<Right> = new Set<Right>(['tools', 'search', 'chat'])
const IMPLIED_BY_BASIC = ['basic', 'generate:image', 'use:llm_gateway'] as const

/** The permissions that the rights stand for, in the order of `PERMISSIONS`. */
export function permissionsOf(rights: ReadonlySet<Right>): Permission[] {
  const granted = new Set<Permission>([...rights].flatMap((right) => PERMISSIONS_OF_RIGHT[right]))
  if (BASIC_RIGHTS.isSubsetOf(rights)) for (const it of IMPLIED_BY_BASIC) granted.add(it)
  return PERMISSIONS.filter((it) => granted.has(it))
}
