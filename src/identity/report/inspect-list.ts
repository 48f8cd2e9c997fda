// Judges one access list: whether anybody can read its documents, whether everybody can, and whom it names in vain.
import { documentAccessTokens, type ExternalAccess, groupToken, mayRead } from '../../domain/access.ts'
import type { SourceFacts } from '../../domain/connector.ts'
import { emailKeyOf } from '../../domain/subject.ts'
import type { AccessList, PairAccess } from '../../store/documents/access-lists.ts'
import type { FindingReason } from './findings.ts'
import type { Readers } from './readers.ts'

export interface ListVerdict {
  /** Why nobody can read the documents; null if a person or a key can. */
  unreadable: FindingReason | null
  /** Why everybody can read the documents although the source says otherwise. */
  open: FindingReason | null
  /** Open pairs whose connector can report permissions and does not. */
  unaskedPairs: number[]
  unmatchedUsers: string[]
  emptyGroups: string[]
}

interface InspectDeps {
  readers: Readers
  pairs: ReadonlyMap<number, PairAccess>
  sourceFacts: Pick<SourceFacts, 'hasAccess'>
}

export function inspectList(deps: InspectDeps, list: AccessList): ListVerdict {
  const { readers } = deps
  const own: ExternalAccess | null = list.external_access === null ? null : JSON.parse(list.external_access)
  const pairs = list.cc_pair_ids.flatMap((id) => deps.pairs.get(id) ?? [])
  const isReadable = mayRead(readers.access, documentAccessTokens(own, list.cc_pair_ids))
  const unmatched = own?.external_user_emails.map(emailKeyOf).filter((it) => !readers.knownAddresses.has(it)) ?? []
  const empty = own?.external_user_group_ids.filter((it) => !mayRead(readers.access, [groupToken(it)])) ?? []
  return {
    unreadable: isReadable ? null : whyUnreadable(own, pairs),
    open: whyOpen(own, pairs, list),
    unaskedPairs: own === null ? pairs.filter((it) => isUnasked(deps, it)).map((it) => it.id) : [],
    unmatchedUsers: [...new Set(unmatched)],
    emptyGroups: [...new Set(empty)],
  }
}

function whyUnreadable(own: ExternalAccess | null, pairs: readonly PairAccess[]): FindingReason {
  if (own === null) return pairs.some((it) => it.access_type === 'sync') ? 'source_says_nothing' : 'pair_closed'
  const count = own.external_user_emails.length + own.external_user_group_ids.length
  return count === 0 ? 'named_nobody' : 'no_reader_matches'
}

const isOpen = ({ access_type, isDeleting }: PairAccess) => access_type === 'public' && !isDeleting

/** Only a pair with synced permissions knows what its source says. */
function whyOpen(
  own: ExternalAccess | null,
  pairs: readonly PairAccess[],
  { isPushed }: AccessList,
): FindingReason | null {
  if (!pairs.some((it) => it.access_type === 'sync')) return null
  if (own === null) return pairs.some(isOpen) ? 'other_pair_open' : null
  return isPushed && own.is_public ? 'pushed_open' : null
}

const isUnasked = ({ sourceFacts }: InspectDeps, pair: PairAccess) => isOpen(pair) && sourceFacts.hasAccess(pair.source)
