// Reads the access lists of all documents once, and collects what an administrator should look at.
import { groupToken, mayRead } from '../../domain/access.ts'
import type { SourceFacts } from '../../domain/connector.ts'
import { createLruCache } from '../../flow/lru-cache.ts'
import type { Queryable } from '../../store/database/database.ts'
import { type AccessList, listAccessLists, listPairAccess } from '../../store/documents/access-lists.ts'
import {
  createDocumentFindings,
  createSubjectFindings,
  type DocumentFindings,
  type Finding,
  type FindingReason,
  type FoundList,
  type ReportList,
  type SubjectFindings,
} from './findings.ts'
import { inspectList, type ListVerdict } from './inspect-list.ts'
import { createPause, type Pause } from './pause.ts'
import { findReaders, type Readers } from './readers.ts'

export interface AccessReport {
  /** Epoch milliseconds. */
  computed_at: number
  took_ms: number
  /** The number of documents that were read. */
  documents: number
  /** The names of the pairs that findings name. */
  pairNames: ReadonlyMap<number, string>
  lists: Readonly<Record<ReportList, FoundList>>
}

export interface ReportDeps {
  db: Queryable
  sourceFacts: Pick<SourceFacts, 'hasAccess'>
  now: () => number
}

interface Collected {
  users: SubjectFindings
  groups: SubjectFindings
  unreadable: DocumentFindings
  open: DocumentFindings
  /** Documents of open pairs whose connector does not ask the source for permissions, by pair. */
  unasked: Map<number, number>
}

/** Rejects with the reason of the signal. */
export async function computeReport(
  { db, sourceFacts, now }: ReportDeps,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (documents: number) => void },
): Promise<AccessReport> {
  const started = now()
  const pause = createPause(signal)
  const collected: Collected = {
    ...{ users: createSubjectFindings(), groups: createSubjectFindings() },
    ...{ unreadable: createDocumentFindings(), open: createDocumentFindings(), unasked: new Map() },
  }
  const pairs = new Map((await listPairAccess(db)).map((it) => [it.id, it]))
  const readers = await findReaders({ db, now, pause }, ({ email, cc_pair_id }) =>
    collected.users.addMemberships(email, [cc_pair_id], 1),
  )
  for (const [name, { cc_pair_ids, members }] of readers.sourceGroups) {
    if (!mayRead(readers.access, [groupToken(name)])) collected.groups.addMemberships(name, cc_pair_ids, members)
  }
  const inspect = cacheVerdicts((list) => inspectList({ readers, pairs, sourceFacts }, list))
  let documents = 0
  for await (const list of readLists(db, pause)) {
    collect(collected, list, inspect(list))
    documents += 1
    onProgress(documents)
  }
  const pairNames = new Map([...pairs].map(([id, { name }]) => [id, name]))
  const computed_at = now()
  return { computed_at, took_ms: computed_at - started, documents, pairNames, lists: listFindings(collected, readers) }
}

/** Small, because each batch is read at once, and requests wait for it. */
const BATCH = 100

async function* readLists(db: Queryable, pause: Pause): AsyncGenerator<AccessList> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: AccessList[] = await listAccessLists(db, { after, limit: BATCH })
    yield* page
    await pause()
    after = page[BATCH - 1]?.seq
  }
}

const MAX_CACHED = 2_000
const MAX_CACHED_LENGTH = 1_000

/** Judges equal lists once: most documents of a source share a few. */
function cacheVerdicts(inspect: (list: AccessList) => ListVerdict): (list: AccessList) => ListVerdict {
  const cache = createLruCache<string, ListVerdict>(MAX_CACHED)
  return (list) => {
    const key = JSON.stringify([list.external_access, list.cc_pair_ids, list.isPushed])
    return key.length > MAX_CACHED_LENGTH ? inspect(list) : cache.getOrCreate(key, () => inspect(list))
  }
}

function collect(
  { users, groups, unreadable, open, unasked }: Collected,
  list: AccessList,
  verdict: ListVerdict,
): void {
  for (const it of verdict.unmatchedUsers) users.addDocument(it, list.cc_pair_ids)
  for (const it of verdict.emptyGroups) groups.addDocument(it, list.cc_pair_ids)
  if (verdict.unreadable !== null) unreadable.add(verdict.unreadable, list)
  if (verdict.open !== null) open.add(verdict.open, list)
  for (const it of verdict.unaskedPairs) unasked.set(it, (unasked.get(it) ?? 0) + 1)
}

function listFindings(
  { users, groups, unreadable, open, unasked }: Collected,
  readers: Readers,
): AccessReport['lists'] {
  const pairs = [...unasked].map(([id, documents]): Finding => {
    const subject = { reason: 'permissions_not_read', subject: null, title: null } as const
    return { ...subject, cc_pair_ids: [id], documents, memberships: 0 }
  })
  const openList = open.list()
  return {
    unmatched_users: users.list(() => 'no_person'),
    empty_groups: groups.list((name, members) => whyEmpty(readers, name, members)),
    unreadable_documents: unreadable.list(),
    open_documents: { ...openList, items: [...pairs, ...openList.items], total: openList.total + pairs.length },
  }
}

function whyEmpty({ groupNames }: Readers, name: string, members: number): FindingReason {
  if (members > 0) return 'no_member_matches'
  return groupNames.has(name) ? 'group_without_readers' : 'unknown_group'
}
