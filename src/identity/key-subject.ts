// Whom does a key stand for?
import { type Role, rightsOf, type Scope, type Subject } from '../domain/subject.ts'
import type { StoredApiKey } from '../store/api-keys.ts'

/** The operator's own key: whoever can set the environment owns the installation. */
export const OPERATOR: Subject = {
  api_key_id: null,
  user_id: '00000000-0000-4000-8000-000000000000',
  email: null,
  groups: [],
  role: 'admin',
  rights: rightsOf('admin', null),
  scopes: null,
}

export function subjectOf(stored: StoredApiKey): Subject {
  // The columns were written by the routes of the keys, from checked values.
  const role = stored.role as Role
  const scopes = stored.scopes === null ? null : (JSON.parse(stored.scopes) as Scope[])
  return {
    api_key_id: stored.id,
    user_id: stored.user_id,
    email: stored.user_email,
    groups: JSON.parse(stored.user_group_ids),
    role,
    rights: rightsOf(role, scopes),
    scopes,
  }
}

export const isExpired = ({ expires_at }: { expires_at: number | null }, now: number): boolean =>
  expires_at !== null && expires_at <= now
