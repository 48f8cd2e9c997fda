// Makes a sentence of an entry of the audit: who did what, or what they were not allowed to do.
import type { AuditEntry } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'
import { isAction, isObjectType } from './actions.ts'

const SYSTEM = 'system'
/** The id of the operator's key. */
const OPERATOR = '00000000-0000-4000-8000-000000000000'
const PROVIDER = 'provider:'
const LOST_SECRET = '.give_up_secret'

/** Stand for the names in a text that is formatted. No text contains them, in whatever order its words are. */
const MARKS = { actor: '\uE000', object: '\uE001' }
/** The texts leave out the parentheses around an object that is not known. */
const NO_OBJECT = '_'

export interface SentencePart {
  is: 'actor' | 'object' | 'text'
  text: string
}

/** Names are parts of their own, because strangers chose them. */
export function auditSentence(entry: AuditEntry): SentencePart[] {
  const names = { actor: actorName(entry), object: objectName(entry) }
  const sentence = sentenceOf(entry, names.object === null ? NO_OBJECT : MARKS.object)
  return sentence
    .split(/([\uE000\uE001])/)
    .map((it): SentencePart => {
      if (it === MARKS.actor) return { is: 'actor', text: names.actor }
      return it === MARKS.object ? { is: 'object', text: names.object ?? '' } : { is: 'text', text: it }
    })
    .filter(({ text }) => text !== '')
}

function sentenceOf(entry: AuditEntry, object: string): string {
  const { outcome } = entry
  if (outcome === 'success') return doneText(entry, object)
  if (outcome === 'refused' && isSignIn(entry)) return failedSignIn(entry, object)
  const action = actionText(entry, object)
  return textsOf('admin.audit.sentences')(outcome, { actor: MARKS.actor, action })
}

function doneText(entry: AuditEntry, object: string): string {
  const { action } = entry
  const { actor } = MARKS
  const t = textsOf('admin.audit')
  if (isAction(action)) return withObject((it) => t(`done.${action}`, { actor, object: it }), entry, object)
  if (!action.endsWith(LOST_SECRET)) return t('sentences.unknown', { actor, action, object })
  const type = isObjectType(entry.object_type) ? t(`types.${entry.object_type}`) : entry.object_type
  return t('sentences.lost_secret', { actor, type, object })
}

function actionText(entry: AuditEntry, object: string): string {
  const { action } = entry
  const t = textsOf('admin.audit')
  return isAction(action)
    ? withObject((it) => t(`actions.${action}`, { object: it }), entry, object)
    : t('sentences.unknown_action', { action, object })
}

/** A text that names its object outside parentheses needs a word for one that is not known. */
function withObject(format: (object: string) => string, { object_type }: AuditEntry, object: string): string {
  const text = format(object)
  if (object !== NO_OBJECT || !text.includes(NO_OBJECT)) return text
  const t = textsOf('admin.audit.sentences')
  return format(object_type === 'person' ? t('a_person') : t('not_known'))
}

/** Nobody is signed in yet when a sign-in fails. */
const isSignIn = ({ action, actor_id }: AuditEntry): boolean => action === 'session.create' && actor_id === SYSTEM

const FAILURES = [
  'LOGIN_BAD_CREDENTIALS',
  'UNAUTHENTICATED',
  'SECOND_FACTOR_WRONG',
  'TOO_MANY_ATTEMPTS',
  'PASSKEY_REFUSED',
  'SIGN_IN_REFUSED',
  'HEADER_SIGN_IN_REFUSED',
] as const

function failedSignIn({ error_code }: AuditEntry, object: string): string {
  const failure = FAILURES.find((it) => it === error_code) ?? 'none'
  return textsOf('admin.audit.sign_in_failures')(failure, { actor: MARKS.actor, object })
}

function actorName(entry: AuditEntry): string {
  const { actor_id, actor_email: email, api_key_id } = entry
  const t = textsOf('admin.audit.actors')
  const key = api_key_id === null ? null : String(api_key_id)
  if (entry.outcome === 'refused' && isSignIn(entry)) return t('a_person')
  if (email !== null) return key === null ? email : t('person_with_key', { email, key })
  if (actor_id === SYSTEM) return t('system')
  if (actor_id === OPERATOR) return t('operator')
  if (actor_id.startsWith(PROVIDER)) return t('provider', { name: actor_id.slice(PROVIDER.length) })
  return key === null ? t('deleted_person') : t('key', { key })
}

/** A person without an address was deleted, or acts under a pseudonym. */
function objectName({ object_type, object_id, object_email, outcome }: AuditEntry): string | null {
  if (object_email !== null) return object_email
  if (object_id === null) return null
  if (object_type !== 'person') return object_id
  if (outcome !== 'success' || !isPersonId(object_id)) return object_id
  return textsOf('admin.audit.sentences')('deleted_person')
}

const PERSON_ID = /^(?:person-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const isPersonId = (id: string): boolean => PERSON_ID.test(id)
