// Says whether a person may read a document, and every reason. The tokens that searches compare decide; this file names
// them.
import { ccPairToken, documentAccessTokens, emailToken, groupToken, mayRead, publicToken } from '../domain/access.ts'
import type { Subject } from '../domain/subject.ts'
import type { Queryable } from '../store/database/database.ts'
import type { DocumentAccessFacts } from '../store/documents/access-facts.ts'
import { countKeysWithGroups, type GroupOrigin, listGroupOrigins } from '../store/documents/group-origins.ts'
import { personWithGroupsFinder } from '../store/identity/credential-owners.ts'
import { findPerson, findPersonByEmail, type StoredPerson } from '../store/identity/people.ts'
import { getAccess } from './access.ts'
import { subjectOfPerson } from './keys/key-subject.ts'

export const ACCESS_REASONS = [
  'public',
  'named_address',
  'group',
  'public_pair',
  'pair_group',
  'person_suspended',
  'document_deleted',
  'document_hidden',
  'document_quarantined',
  'named_nobody',
  'source_says_nothing',
  'not_among_readers',
  'pair_closed',
  'not_in_index',
  'uploader',
  'only_keys',
  'manages_documents',
  'role_cannot_search',
  'held_from_prune',
  'document_set',
] as const

export interface AccessReason {
  kind: (typeof ACCESS_REASONS)[number]
  /** `grants`: a ground to read. `prevents`: why the person does not read or find it. `note`: changes nothing. */
  effect: 'grants' | 'prevents' | 'note'
  detail: string
  group: GroupOrigin | null
  cc_pair: { id: number; name: string } | null
}

export interface AccessVerdict {
  may_read: boolean
  reasons: AccessReason[]
}

/** A person with the subject of their sessions; of a suspended person, the subject as it was before. */
export interface PersonSubject {
  person: StoredPerson
  subject: Subject
}

/** Undefined if nobody has this id or address. */
export async function findPersonSubject(db: Queryable, idOrEmail: string): Promise<PersonSubject | undefined> {
  const named = (await findPerson(db, idOrEmail)) ?? (await findPersonByEmail(db, idOrEmail))
  const found = named && (await personWithGroupsFinder(db)(named.id))
  if (found === undefined) return undefined
  const subject = subjectOfPerson({ ...found, person: { ...found.person, is_active: 1 } })
  return subject === null ? undefined : { person: found.person, subject }
}

type ReasonExtras = Partial<Pick<AccessReason, 'group' | 'cc_pair'>>

const reason = (
  kind: AccessReason['kind'],
  effect: AccessReason['effect'],
  detail: string,
  { group = null, cc_pair = null }: ReasonExtras = {},
): AccessReason => ({ kind, effect, detail, group, cc_pair })

export async function explainAccess(
  db: Queryable,
  { person, subject }: PersonSubject,
  document: DocumentAccessFacts,
): Promise<AccessVerdict> {
  const access = await getAccess(db, subject)
  const tokens = documentAccessTokens(document.external_access, document.cc_pair_ids)
  const groups = await listGroupOrigins(db, person)
  const shared = [...new Set(tokens)].filter((it) => mayRead(access, [it]))
  const grounds = shared.flatMap((token) => explainToken(token, { person, groups, document }))
  const obstacles = [
    ...(person.is_active === 0
      ? [reason('person_suspended', 'prevents', 'The person is suspended: sessions and keys are refused.')]
      : []),
    ...(document.deleted_at === null
      ? []
      : [reason('document_deleted', 'prevents', 'The document is deleted and in the trash.')]),
    ...(document.hidden_at === null
      ? []
      : [reason('document_hidden', 'prevents', 'An administrator hid the document: nobody finds it.')]),
    ...(document.quarantined_at === null
      ? []
      : [reason('document_quarantined', 'prevents', 'The document has a secret and is quarantined: nobody finds it.')]),
    ...(shared.length > 0 ? [] : explainRefusal(document)),
  ]
  const notes = [...explainRights(subject, document), ...(await explainKeys(db, document, shared.length > 0))]
  const isWithheld = document.is_hidden || document.is_quarantined
  const isOpen = person.is_active === 1 && document.deleted_at === null && !isWithheld
  return { may_read: isOpen && mayRead(access, tokens), reasons: [...grounds, ...obstacles, ...notes] }
}

interface TokenContext {
  person: StoredPerson
  groups: readonly GroupOrigin[]
  document: DocumentAccessFacts
}

/** The grounds that a token of both the person and the document stands for. */
function explainToken(token: string, { person, groups, document }: TokenContext): AccessReason[] {
  if (token === publicToken) return [reason('public', 'grants', 'The document is open to everybody.')]
  if (token === emailToken(person.email))
    return [reason('named_address', 'grants', 'The document names the address of the person as a reader.')]
  const ofGroup = groups.filter((it) => groupToken(it.name) === token)
  if (ofGroup.length > 0)
    return ofGroup.map((group) =>
      reason('group', 'grants', `The document names the group "${group.name}" as a reader. ${whereFrom(group)}`, {
        group,
      }),
    )
  const pair = document.pairs.find((it) => ccPairToken(it.id) === token)
  return pair === undefined ? [] : explainPair(pair, groups)
}

function explainPair(pair: DocumentAccessFacts['pairs'][number], groups: readonly GroupOrigin[]): AccessReason[] {
  const cc_pair = { id: pair.id, name: pair.name }
  if (pair.access_type === 'public') {
    const detail = `The document names no readers, and everybody may read the connector "${pair.name}".`
    return [reason('public_pair', 'grants', detail, { cc_pair })]
  }
  return groups
    .filter((it) => it.cc_pair_id === null && pair.groups.includes(it.name))
    .map((group) => {
      const detail = `The document names no readers, and the group "${group.name}" may read the connector "${pair.name}". ${whereFrom(group)}`
      return reason('pair_group', 'grants', detail, { group, cc_pair })
    })
}

function whereFrom({ origin, cc_pair_id }: GroupOrigin): string {
  if (cc_pair_id !== null) return `The source of "${origin}" reports the person as a member.`
  return origin === 'manual' ? 'An administrator added the person to it.' : `The person is in it by "${origin}".`
}

/** Why no token of the person opens the document. */
function explainRefusal({ external_access: own, pairs }: DocumentAccessFacts): AccessReason[] {
  if (own !== null) {
    const { external_user_emails: emails, external_user_group_ids: names } = own
    if (emails.length + names.length === 0)
      return [reason('named_nobody', 'prevents', 'The document has a list of readers, and the list is empty.')]
    const detail = `The document names ${emails.length} addresses and ${names.length} groups as readers. The person has none of them.`
    return [reason('not_among_readers', 'prevents', detail)]
  }
  return pairs.map(({ id, name, access_type, groups, status }) => {
    const cc_pair = { id, name }
    if (status === 'DELETING')
      return reason('pair_closed', 'prevents', `The connector "${name}" is being deleted.`, { cc_pair })
    if (access_type === 'sync') {
      const detail = `The connector "${name}" takes readers from its source, and the source names none for this document.`
      return reason('source_says_nothing', 'prevents', detail, { cc_pair })
    }
    const detail = `The document names no readers. Of the connector "${name}" they are ${groups.length} groups, and the person is in none of them.`
    return reason('pair_closed', 'prevents', detail, { cc_pair })
  })
}

/** Facts that decide about other views of the document, and not about searches. */
function explainRights({ user_id, rights }: Subject, document: DocumentAccessFacts): AccessReason[] {
  const notes: AccessReason[] = []
  if (document.pushed_by === user_id) {
    const detail =
      'The person pushed the document, and may replace and delete it through the ingestion API. Searches do not show it for this reason.'
    notes.push(reason('uploader', 'note', detail))
  }
  if (rights.has('connectors')) {
    const detail =
      'The person manages connectors: lists of documents and receipts show the title and the id. Searches do not show it for this reason.'
    notes.push(reason('manages_documents', 'note', detail))
  }
  if (!rights.has('search'))
    notes.push(
      reason(
        'role_cannot_search',
        'note',
        'The role of the person cannot search, except with a key of scope "search".',
      ),
    )
  if (document.held_from_prune) {
    const detail = 'The source no longer lists the document. Its deletion waits for an administrator.'
    notes.push(reason('held_from_prune', 'note', detail))
  }
  return notes
}

async function explainKeys(
  db: Queryable,
  { external_access, pairs }: DocumentAccessFacts,
  isOpenToPerson: boolean,
): Promise<AccessReason[]> {
  if (isOpenToPerson) return []
  const names = external_access?.external_user_group_ids ?? pairs.flatMap((it) => it.groups)
  const count = await countKeysWithGroups(db, names)
  if (count === 0) return []
  return [reason('only_keys', 'note', `Keys that act for nobody can read the document through their groups: ${count}.`)]
}
