// The subject that a key or a person stands for.
import {
  type Right,
  rightsOfKey,
  rightsOfPerson,
  rightsOfPersonKey,
  type Scope,
  type Subject,
} from '../../domain/subject.ts'
import type { KeyOwnership, PersonWithGroups } from '../../store/identity/credential-owners.ts'
import type { GroupMembership } from '../../store/identity/groups.ts'

const OPERATOR_ID = '00000000-0000-4000-8000-000000000000'

/** The operator, who controls the environment and therefore the installation. */
export const OPERATOR: Subject = {
  api_key_id: null,
  user_id: OPERATOR_ID,
  person_id: null,
  usage_id: OPERATOR_ID,
  email: null,
  groups: [],
  curated_groups: [],
  role: 'admin',
  rights: rightsOfKey('admin', null),
  scopes: null,
  credential: { kind: 'key', kid: null },
}

/** Null if the person that the key acts for is suspended. */
export function subjectOfApiKey({ key, person, groups }: KeyOwnership): Subject | null {
  if (person !== null && person.is_active === 0) return null
  const { role } = key
  // Written by the API key routes from validated values.
  const scopes: Scope[] | null = key.scopes === null ? null : JSON.parse(key.scopes)
  const rights =
    person === null
      ? rightsOfKey(role, scopes)
      : rightsOfPersonKey({ role, scopes }, { role: person.role, isCurator: groups.some((it) => it.is_curator) })
  return {
    api_key_id: key.id,
    user_id: person?.id ?? key.user_id,
    person_id: person?.id ?? null,
    usage_id: key.user_id,
    email: person?.email ?? null,
    groups: groups.map((it) => it.name),
    curated_groups: curatedAmong(groups, rights),
    role,
    rights,
    scopes,
    credential: { kind: 'key', kid: key.kid },
  }
}

/** Null if the person is suspended. */
export function subjectOfPerson({ person, groups }: PersonWithGroups): Subject | null {
  if (person.is_active === 0) return null
  const rights = rightsOfPerson({ role: person.role, isCurator: groups.some((it) => it.is_curator) })
  return {
    api_key_id: null,
    user_id: person.id,
    person_id: person.id,
    usage_id: person.id,
    email: person.email,
    groups: groups.map((it) => it.name),
    curated_groups: curatedAmong(groups, rights),
    role: person.role,
    rights,
    scopes: null,
    credential: { kind: 'person', kid: person.id },
  }
}

const curatedAmong = (groups: readonly GroupMembership[], rights: ReadonlySet<Right>): string[] =>
  rights.has('curate') ? groups.filter((it) => it.is_curator).map((it) => it.name) : []

export const isExpired = ({ expires_at }: { expires_at: number | null }, now: number): boolean =>
  expires_at !== null && expires_at <= now
