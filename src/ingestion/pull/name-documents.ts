// Learns how the documents of a source name each other and how many link to each, after a run.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GivenName, LinkCount } from '../../connectors/connector.ts'
import type { Database } from '../../store/database/database.ts'
import { replaceLinkCounts } from '../../store/popularity/link-counts.ts'
import { givenNameDigest, listSourceNotes, replaceGivenNames } from '../../store/sources/names/given-names.ts'
import { nameKey } from '../../text/names/name-key.ts'
import { withoutNumber } from '../../text/names/plain-name.ts'

/** "4.6. Settings" in a table of contents names a part of a page. */
const isNumbered = (name: string): boolean => withoutNumber(name) !== name.trim()

/** Other work runs after this many names: a large site has hundreds of thousands. */
const NAMES_PER_TURN = 500

/** A name in other letters or forms is the same name. */
export async function nameDocuments(
  db: Database,
  cc_pair_id: number,
  collect: (notes: AsyncIterable<string>) => AsyncIterable<GivenName | LinkCount>,
): Promise<void> {
  const digests = new Set<string>()
  const links = new Map<string, number>()
  let count = 0
  for await (const { document_id, ...it } of collect(listSourceNotes(db, cc_pair_id))) {
    if (++count % NAMES_PER_TURN === 0) await nextTurn()
    if ('links' in it) {
      links.set(document_id, it.links)
      continue
    }
    const key = nameKey(it.name)
    if (key !== '' && !isNumbered(it.name)) digests.add(givenNameDigest({ document_id, key }))
  }
  await replaceGivenNames(db, cc_pair_id, digests)
  await replaceLinkCounts(db, cc_pair_id, links)
}
