// Collects skipped documents until a batch records them. Bounded in number and text length.
import type { NewSkippedDocument } from '../../store/sources/skipped-documents.ts'

/** The maximum recorded for a pair: some sources have more unsupported files than documents. */
const MAX_KEPT = 10_000
const MAX_TEXT = 2_000

export interface SkipList {
  readonly length: number
  add(skip: { id: string; link: string | null; reason: string }): void
  /** Returns the entries added since the last call. */
  take(): NewSkippedDocument[]
}

/** `kept`: the number of entries that are already recorded. */
export function createSkipList(kept: number): SkipList {
  let remaining = MAX_KEPT - kept
  let skips: NewSkippedDocument[] = []
  return {
    get length() {
      return skips.length
    },
    add({ id, link, reason }) {
      if (remaining <= 0) return
      remaining -= 1
      const document_link = link === null ? null : link.slice(0, MAX_TEXT)
      skips.push({ document_id: id.slice(0, MAX_TEXT), document_link, reason: reason.slice(0, MAX_TEXT) })
    },
    take() {
      const taken = skips
      skips = []
      return taken
    },
  }
}
