// Counts the chunks of documents that still need vectors, and tells when a document is complete.
import type { EmbeddedVersion } from '../../store/documents/receipts.ts'

export interface DocumentTallies {
  /** Replaces what was counted of the document. `seq` is an upper bound of its version. */
  begin(document_id: string, count: { seq: number; remaining: number }): void
  /** Counts one more chunk. */
  add(document_id: string, seq: number): void
  /** The document does not become complete by the chunks that were counted. */
  forget(document_id: string): void
  /** More chunks of this document may be counted, so it is not complete before the next call. */
  keepOpen(document_id: string | undefined): void
  markDone(chunks: readonly { document_id: string }[]): void
  /** Takes the documents that have become complete. */
  takeComplete(): EmbeddedVersion[]
}

export function createDocumentTallies(): DocumentTallies {
  const tallies = new Map<string, { seq: number; remaining: number }>()
  const complete: EmbeddedVersion[] = []
  let openDocument: string | undefined
  const finish = (document_id: string): void => {
    const tally = tallies.get(document_id)
    if (tally === undefined || tally.remaining > 0 || document_id === openDocument) return
    tallies.delete(document_id)
    complete.push({ document_id, seq: tally.seq })
  }
  return {
    begin(document_id, { seq, remaining }) {
      tallies.set(document_id, { seq, remaining })
      finish(document_id)
    },
    add(document_id, seq) {
      const tally = tallies.get(document_id) ?? { remaining: 0, seq }
      tallies.set(document_id, { ...tally, remaining: tally.remaining + 1 })
    },
    forget: (document_id) => void tallies.delete(document_id),
    keepOpen(document_id) {
      const previous = openDocument
      openDocument = document_id
      if (previous !== undefined) finish(previous)
    },
    markDone(chunks) {
      for (const { document_id } of chunks) {
        const tally = tallies.get(document_id)
        if (tally === undefined) continue
        tally.remaining -= 1
        finish(document_id)
      }
    },
    takeComplete: () => complete.splice(0),
  }
}
