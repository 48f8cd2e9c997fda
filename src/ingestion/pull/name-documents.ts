// Learns how the documents of a source name each other, after a run.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GivenName } from '../../connectors/connector.ts'
import type { Database } from '../../store/database/database.ts'
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
  collect: (notes: AsyncIterable<string>) => AsyncIterable<GivenName>,
): Promise<void> {
  const digests = new Set<string>()
  let count = 0
  for await (const { document_id, name } of collect(listSourceNotes(db, cc_pair_id))) {
    if (++count % NAMES_PER_TURN === 0) await nextTurn()
    const key = nameKey(name)
    if (key !== '' && !isNumbered(name)) digests.add(givenNameDigest({ document_id, key }))
  }
  await replaceGivenNames(db, cc_pair_id, digests)
}
