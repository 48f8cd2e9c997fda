// Puts documents into the groups of their near duplicates.
import type { Database, SqlStatement } from '../../store/database/database.ts'
import {
  findCandidates,
  findSharedBands,
  findSignatures,
  groupStatements,
} from '../../store/near-duplicates/signatures.ts'
import { areNearDuplicates, bandsOf, decodeSignature } from '../../text/near-duplicates/signature.ts'

export interface SignedDocument {
  id: string
  seq: number
  signature: Uint16Array
}

/** Returns the statements that make the groups. The signatures of all documents must be stored already. */
export async function groupDocuments(db: Database, documents: readonly SignedDocument[]): Promise<SqlStatement[]> {
  const groups = createGroups()
  const signed = documents.map((it) => ({ ...it, bands: bandsOf(it.signature) }))
  const shared = await findSharedBands(
    db,
    signed.flatMap((it) => it.bands),
  )
  for (const { id, seq, signature, bands: own } of signed) {
    const bands = own.filter((it) => shared.has(it))
    if (bands.length === 0) continue
    const candidates = await findCandidates(db, id, bands)
    const near = candidates.filter((it) => areNearDuplicates(signature, decodeSignature(it.signature)))
    if (near.length > 0) groups.join([...near, ...(await findSignatures(db, [id]))], seq)
  }
  return groups.statements
}

interface Member {
  document_id: string
  group_id: number | null
}

/** The stored groups, with the changes of this batch. */
function createGroups(): { statements: SqlStatement[]; join(members: readonly Member[], newGroup: number): void } {
  const statements: SqlStatement[] = []
  const joined = new Map<string, number>()
  const merged = new Map<number, number>()
  const groupOf = ({ document_id, group_id }: Member): number | null => {
    let group = joined.get(document_id) ?? group_id
    for (let next = group; next !== null && next !== undefined; next = merged.get(next) ?? null) group = next
    return group
  }
  return {
    statements,
    join(members, newGroup) {
      const groups = new Set(members.map(groupOf))
      const known = [...groups].filter((it) => it !== null)
      const [group = newGroup, ...formerGroups] = known
      const ids = members.filter((it) => groupOf(it) === null).map((it) => it.document_id)
      if (ids.length + formerGroups.length === 0) return
      for (const id of ids) joined.set(id, group)
      for (const former of formerGroups) merged.set(former, group)
      statements.push(...groupStatements({ ids, formerGroups }, group))
    },
  }
}
