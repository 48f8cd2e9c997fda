// The subject that a key stands for.
import { rightsOfKey, type Scope, type Subject } from '../domain/subject.ts'
import type { StoredApiKey } from '../store/identity/api-keys.ts'

/** The operator, who controls the environment and therefore the installation. */
export const OPERATOR: Subject = {
  api_key_id: null,
  user_id: '00000000-0000-4000-8000-000000000000',
  email: null,
  groups: [],
  role: 'admin',
  rights: rightsOfKey('admin', null),
  scopes: null,
  credential: { kind: 'key', kid: null },
}

export function subjectOfApiKey(stored: StoredApiKey): Subject {
  const { role } = stored
  // Written by the API key routes from validated values.
  const scopes: Scope[] | null = stored.scopes === null ? null : JSON.parse(stored.scopes)
  return {
    api_key_id: stored.id,
    user_id: stored.user_id,
    email: stored.user_email,
    groups: JSON.parse(stored.user_group_ids),
    role,
    rights: rightsOfKey(role, scopes),
    scopes,
    credential: { kind: 'key', kid: stored.kid },
  }
}

export const isExpired = ({ expires_at }: { expires_at: number | null }, now: number): boolean =>
  expires_at !== null && expires_at <= now
