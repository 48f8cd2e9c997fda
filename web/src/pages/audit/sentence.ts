// Makes a sentence of an entry of the audit: who did what, or what they were not allowed to do.
import type { AuditEntry } from '../../../../src/client/schemas.ts'
import { ACTIONS, OBJECT_TYPES, pastOf } from './actions.ts'

const SYSTEM = 'system'
/** The id of the operator's key. */
const OPERATOR = '00000000-0000-4000-8000-000000000000'
const PROVIDER = 'provider:'
const LOST_SECRET = '.give_up_secret'

export interface AuditSentence {
  who: string
  what: string
}

export function auditSentence(entry: AuditEntry): AuditSentence {
  const phrase = phraseOf(entry)
  if (entry.outcome === 'success') return { who: actorName(entry), what: `${pastOf(phrase)}.` }
  if (entry.outcome === 'failed')
    return {
      who: actorName(entry),
      what: `tried to ${phrase}. An internal error occurred: it may have happened or not.`,
    }
  return isSignIn(entry)
    ? { who: 'A person', what: `could not ${phrase}${reasonOf(entry)}.` }
    : { who: actorName(entry), what: `was not allowed to ${phrase}.` }
}

/** Nobody is signed in yet when a sign-in fails. */
const isSignIn = ({ action, actor_id }: AuditEntry): boolean => action === 'session.create' && actor_id === SYSTEM

const SIGN_IN_REASONS: Record<string, string> = {
  LOGIN_BAD_CREDENTIALS: 'the password was wrong, or nobody has the address',
  UNAUTHENTICATED: 'the key was wrong',
  SECOND_FACTOR_WRONG: 'the code was wrong',
  TOO_MANY_ATTEMPTS: 'too many attempts had failed',
  PASSKEY_REFUSED: 'the passkey was not accepted',
  SIGN_IN_REFUSED: 'the rules of the provider exclude them, or its answer was not accepted',
  HEADER_SIGN_IN_REFUSED: 'the person is suspended, or unknown and of no domain whose people are created',
}

function reasonOf({ error_code }: AuditEntry): string {
  const reason = SIGN_IN_REASONS[error_code ?? '']
  return reason === undefined ? '' : `: ${reason}`
}

export function actorName({ actor_id, actor_email, api_key_id }: AuditEntry): string {
  const key = api_key_id === null ? null : `key ${api_key_id}`
  if (actor_email !== null) return key === null ? actor_email : `${actor_email} (${key})`
  if (actor_id === SYSTEM) return 'The service'
  if (actor_id === OPERATOR) return 'The operator’s key'
  if (actor_id.startsWith(PROVIDER)) return `The sign-in provider ${actor_id.slice(PROVIDER.length)}`
  return key === null ? 'A deleted person' : `The ${key}`
}

/** Without the object, what stands around it in parentheses or before it goes too. */
function phraseOf(entry: AuditEntry): string {
  const pattern = ACTIONS[entry.action] ?? unknownPhrase(entry)
  const object = objectName(entry)
  if (object !== null) return pattern.replace('{}', () => object)
  return pattern.replace(' ({})', '').replace('{}', entry.object_type === 'person' ? 'a person' : '(unknown)')
}

function unknownPhrase({ action, object_type }: AuditEntry): string {
  if (!action.endsWith(LOST_SECRET)) return `do ${action} {}`
  const type = OBJECT_TYPES[object_type] ?? object_type
  return `delete a secret whose key is lost (${type}: {})`
}

/** A person without an address was deleted, or acts under a pseudonym. */
function objectName({ object_type, object_id, object_email, outcome }: AuditEntry): string | null {
  if (object_email !== null) return object_email
  if (object_id === null) return null
  if (object_type !== 'person') return object_id
  if (outcome !== 'success' || !isPersonId(object_id)) return object_id
  return 'a deleted person'
}

const PERSON_ID = /^(?:person-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const isPersonId = (id: string): boolean => PERSON_ID.test(id)
