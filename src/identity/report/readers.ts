// Everybody who may read something: people, groups of this service and of sources, in the form that `mayRead` takes.
import { accessOfMany } from '../../domain/access.ts'
import type { Queryable } from '../../store/database/database.ts'
import { listGroupsWithReaders } from '../../store/documents/group-origins.ts'
import { listEmailKeys } from '../../store/identity/list-people.ts'
import { listReadablePairs } from '../../store/sources/cc-pairs.ts'
import { listSourceMemberships, type SourceMembership } from '../../store/sources/source-access.ts'
import type { Pause } from './pause.ts'

export interface Readers {
  /** At least one person or key may read a document if `mayRead` says so with this. */
  access: ReadonlySet<string>
  /** The keys of the addresses of everybody, suspended people included. */
  knownAddresses: ReadonlySet<string>
  /** The names of the groups of this service, with and without readers. */
  groupNames: ReadonlySet<string>
  sourceGroups: ReadonlyMap<string, SourceGroup>
}

interface SourceGroup {
  cc_pair_ids: Set<number>
  members: number
  /** An active person is a member. */
  hasReader: boolean
}

const BATCH = 500

/** Calls `onUnmatched` with each member of a source's group whose address nobody here has. */
export async function findReaders(
  { db, now, pause }: { db: Queryable; now: () => number; pause: Pause },
  onUnmatched: (membership: SourceMembership) => void,
): Promise<Readers> {
  const people = await listEmailKeys(db)
  const knownAddresses = new Set(people.map((it) => it.email_key))
  const active = new Set(people.flatMap((it) => (it.is_active ? [it.email_key] : [])))
  const sourceGroups = new Map<string, SourceGroup>()
  for await (const it of readSourceMemberships(db, pause)) {
    addMember(sourceGroups, it, active.has(it.email))
    if (!knownAddresses.has(it.email)) onUnmatched(it)
  }
  const groups = await listGroupsWithReaders(db, now())
  const own = groups.filter((it) => it.hasReader).map((it) => it.name)
  const ofSources = [...sourceGroups].flatMap(([name, it]) => (it.hasReader ? [name] : []))
  return {
    access: accessOfMany({ emails: active, groups: [...own, ...ofSources] }, await listReadablePairs(db, own)),
    knownAddresses,
    groupNames: new Set(groups.map((it) => it.name)),
    sourceGroups,
  }
}

function addMember(
  groups: Map<string, SourceGroup>,
  { group_id, cc_pair_id }: SourceMembership,
  isReader: boolean,
): void {
  const group = groups.get(group_id) ?? { cc_pair_ids: new Set<number>(), members: 0, hasReader: false }
  groups.set(group_id, group)
  group.cc_pair_ids.add(cc_pair_id)
  group.members += 1
  group.hasReader ||= isReader
}

async function* readSourceMemberships(db: Queryable, pause: Pause): AsyncGenerator<SourceMembership> {
  for (let after: SourceMembership | null | undefined = null; after !== undefined; ) {
    const page: SourceMembership[] = await listSourceMemberships(db, { after, limit: BATCH })
    yield* page
    await pause()
    // Only a full page has an entry at this place: then there may be more.
    after = page[BATCH - 1]
  }
}
