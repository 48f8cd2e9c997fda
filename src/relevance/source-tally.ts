// Counts in how many searches a source was shown, and in how many one of its documents was opened.
export interface ReportedSource {
  source: string
  /** Searches whose first page had a document of the source. */
  shown: number
  /** Searches in which a document of the source was opened or rated positively. */
  answered: number
}

interface ShownSearch {
  document_ids: readonly string[]
  /** Ids of documents that were opened. */
  opened: readonly string[]
}

/** At this size the known sources are forgotten, so that they take a few megabytes at most. */
const MAX_KNOWN = 50_000
/** A statement has a limited number of parameters. */
const BATCH = 500

/** Documents that no longer exist belong to no source. */
export function createSourceTally(findSources: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>) {
  const bySource = new Map<string, ReportedSource>()
  const known = new Map<string, string | undefined>()
  const learn = async (searches: readonly ShownSearch[]) => {
    if (known.size > MAX_KNOWN) known.clear()
    const ids = new Set(searches.flatMap((it) => [...it.document_ids, ...it.opened]))
    const unknown = [...ids].filter((it) => !known.has(it))
    for (let at = 0; at < unknown.length; at += BATCH) {
      const batch = unknown.slice(at, at + BATCH)
      const found = await findSources(batch)
      for (const id of batch) known.set(id, found.get(id))
    }
  }
  const count = (ids: readonly string[], field: 'shown' | 'answered') => {
    for (const source of new Set(ids.map((it) => known.get(it)))) {
      if (source === undefined) continue
      const counts = bySource.get(source) ?? { source, shown: 0, answered: 0 }
      counts[field] += 1
      bySource.set(source, counts)
    }
  }
  return {
    async add(searches: readonly ShownSearch[]): Promise<void> {
      await learn(searches)
      for (const { document_ids, opened } of searches) {
        count(document_ids, 'shown')
        count(opened, 'answered')
      }
    },
    sources: (): ReportedSource[] =>
      [...bySource.values()].sort((a, b) => b.shown - a.shown || (a.source < b.source ? -1 : 1)),
  }
}
