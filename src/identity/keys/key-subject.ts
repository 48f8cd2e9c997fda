// The subject that a key or a person stands for.
import { rightsOfKey, rightsOfPerson, rightsOfPersonKey, type Scope, type Subject } from '../../domain/subject.ts'
import type { KeyOwnership, PersonWithGroups } from '../../store/identity/credential-owners.ts'

const OPERATOR_ID = '00000000-0000-4000-8000-000000000000'

/** The operator, who controls the environment and therefore the installation. */
export const OPERATOR: Subject = {
  api_key_id: null,
  user_id: OPERATOR_ID,
  person_id: null,
  usage_id: OPERATOR_ID,
  email: null,
  groups: [],
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
  return {
    api_key_id: key.id,
    user_id: person?.id ?? key.user_id,
    person_id: person?.id ?? null,
    usage_id: key.user_id,
    email: person?.email ?? null,
    groups: groups.map((it) => it.name),
    role,
    rights: person === null ? rightsOfKey(role, scopes) : rightsOfPersonKey({ role, scopes }, person),
    scopes,
    credential: { kind: 'key', kid: key.kid },
  }
}

/** Null if the person is suspended. */
export function subjectOfPerson({ person, groups }: PersonWithGroups): Subject | null {
  if (person.is_active === 0) return null
  return {
    api_key_id: null,
    user_id: person.id,
    person_id: person.id,
    usage_id: person.id,
    email: person.email,
    groups: groups.map((it) => it.name),
    role: person.role,
    rights: rightsOfPerson(person),
    scopes: null,
    credential: { kind: 'person', kid: person.id },
  }
}

export const isExpired = ({ expires_at }: { expires_at: number | null }, now: number): boolean =>
  expires_at !== null && expires_at <= now
