// The readers of a document: the people and groups that it names, or the readers of its connectors, each with the reason.
import { emailKeyOf } from '../domain/subject.ts'
import type { Queryable } from '../store/database/database.ts'
import type { DocumentAccessFacts } from '../store/documents/access-facts.ts'
import { countGroupMembers, mapPeopleByEmail } from '../store/documents/details/reader-facts.ts'

export const READER_KINDS = ['everyone', 'address', 'group', 'pair_everyone', 'pair_group', 'pair_source'] as const

export interface DocumentReader {
  /**
   * `everyone`, `address`, `group`: the document names them. `pair_everyone`, `pair_group`: readers of its connector.
   * `pair_source`: its connector takes readers from the source, which named none, so nobody reads it.
   */
  kind: (typeof READER_KINDS)[number]
  /** The address or the name of the group; empty otherwise. */
  name: string
  /** Null if nobody here has the address. */
  person: { id: string; is_active: boolean } | null
  /** The group of this service with that name; null if only a source has it. */
  group_id: number | null
  /** How many people the group has, here and in sources; null for others. */
  members: number | null
  cc_pair: { id: number; name: string } | null
}

type NamedReader = Pick<DocumentReader, 'kind' | 'name' | 'cc_pair'>

/** Returns a page of the readers, and how many there are. */
export async function listDocumentReaders(
  db: Queryable,
  document: DocumentAccessFacts,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ readers: DocumentReader[]; total: number }> {
  const named = namedReaders(document)
  const page = named.slice(offset, offset + limit)
  const people = await mapPeopleByEmail(db, namesOf(page, ['address']).map(emailKeyOf))
  const groups = await countGroupMembers(db, namesOf(page, ['group', 'pair_group']))
  const readers = page.map((it) => {
    const group = ['group', 'pair_group'].includes(it.kind) ? groups.get(it.name) : undefined
    return {
      ...it,
      person: it.kind === 'address' ? (people.get(emailKeyOf(it.name)) ?? null) : null,
      group_id: group?.id ?? null,
      members: group?.members ?? null,
    }
  })
  return { readers, total: named.length }
}

const namesOf = (readers: readonly NamedReader[], kinds: readonly DocumentReader['kind'][]): string[] => [
  ...new Set(readers.filter((it) => kinds.includes(it.kind)).map((it) => it.name)),
]

function namedReaders({ external_access: own, pairs }: DocumentAccessFacts): NamedReader[] {
  if (own === null) return pairs.flatMap(readersOfPair)
  return [
    ...(own.is_public ? [{ kind: 'everyone' as const, name: '', cc_pair: null }] : []),
    ...own.external_user_emails.map((name) => ({ kind: 'address' as const, name, cc_pair: null })),
    ...own.external_user_group_ids.map((name) => ({ kind: 'group' as const, name, cc_pair: null })),
  ]
}

function readersOfPair({ id, name, access_type, groups, status }: DocumentAccessFacts['pairs'][number]): NamedReader[] {
  const cc_pair = { id, name }
  if (status === 'DELETING') return []
  if (access_type === 'public') return [{ kind: 'pair_everyone', name: '', cc_pair }]
  if (access_type === 'sync') return [{ kind: 'pair_source', name: '', cc_pair }]
  return groups.map((group) => ({ kind: 'pair_group', name: group, cc_pair }))
}
