// Folds near duplicates of a document into the best of them, before the ranking is cut into pages, so that pages stay full.
import type { Queryable } from '../../store/database/database.ts'
import { findGroupedSignatures } from '../../store/near-duplicates/signatures.ts'
import { areNearDuplicates, decodeSignature } from '../../text/near-duplicates/signature.ts'
import type { RankedDocument } from '../ranking/fuse.ts'

export interface FoldedRanking {
  /** The places of the documents that stay, from 0, ascending. */
  kept: readonly number[]
  /** Maps documents that stay to those that are folded into them, best first. */
  similar: ReadonlyMap<string, readonly RankedDocument[]>
}

/** The number of best documents that are compared; those that follow are never folded. */
const FOLD_DEPTH = 200
/** A document is compared with the best ones of its group only, so that folding takes linear time. */
const MAX_COMPARED = 8

export async function foldNearDuplicates(db: Queryable, ranked: readonly RankedDocument[]): Promise<FoldedRanking> {
  const ids = ranked.slice(0, FOLD_DEPTH).map((it) => it.document_id)
  const signatures = new Map((await findGroupedSignatures(db, ids)).map((it) => [it.document_id, it]))
  const similar = new Map<string, RankedDocument[]>()
  const originals = new Map<number | null, { id: string; signature: Uint16Array }[]>()
  const kept: number[] = []
  for (const [place, document] of ranked.entries()) {
    const id = document.document_id
    const stored = signatures.get(id)
    if (stored !== undefined) {
      const signature = decodeSignature(stored.signature)
      const compared = originals.get(stored.group_id) ?? []
      const original = compared.find((it) => areNearDuplicates(it.signature, signature))
      if (original !== undefined) {
        similar.get(original.id)?.push(document)
        continue
      }
      originals.set(stored.group_id, [...compared, { id, signature }].slice(0, MAX_COMPARED))
      similar.set(id, [])
    }
    kept.push(place)
  }
  return { kept, similar }
}
