// Pushes a collection through the ingestion endpoint before an eval.
import type { Client } from '../test/http.ts'
import { parallel } from '../test/parallel.ts'
import { settled } from '../test/server.ts'
import type { Collection } from './collection.ts'
import { note, progress } from './output.ts'

const CONCURRENT_PUSHES = 16
const SETTLE_TIMEOUT_MS = 600_000

/** Pushes the documents and waits until they are searchable. */
export async function pushCollection(api: Client, collection: Collection, source?: string): Promise<void> {
  const prefix = source === undefined ? '' : `${source}/`
  await push(api, collection, prefix, source ?? 'ingestion_api')
  note(`${collection.name}: ${collection.documents.length} documents accepted, waiting for the index`)
  await settled({ api }, SETTLE_TIMEOUT_MS)
}

async function push(api: Client, { name, documents }: Collection, prefix: string, source: string): Promise<void> {
  const pushed = progress(`${name}: documents`, documents.length)
  await parallel(documents, CONCURRENT_PUSHES, async ({ id, title, text }) => {
    const document = {
      id: `${prefix}${id}`,
      semantic_identifier: title || id,
      ...(title ? { title } : {}),
      sections: [{ text }],
      source,
      metadata: {},
    }
    const { status, body } = await api('POST', '/service-api/ingestion', { document })
    if (status !== 200) throw new Error(`Document ${id} returned ${status}: ${JSON.stringify(body)}`)
    pushed.step()
  })
  pushed.end()
}
