// What there is to search in, as the asker sees it: sources, document sets, and documents by their ids.
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { AppError } from '../domain/errors.ts'
import type { Filters } from '../domain/query.ts'
import type { Results } from '../retrieval/retrieve.ts'
import { type DocumentSet, listDocumentSets } from '../store/document-sets.ts'
import { documentUri, type McpCaller, type McpNeeds, sentenceOf } from './mcp-server-answer.ts'
import { piece } from './mcp-server-fetch.ts'

const JSON_TYPE = 'application/json'
const NEWEST = 20
const EVERY_SET = { after: 0, limit: 1_000 }
const sourceUri = (source: string) => `pharos://source/${encodeURIComponent(source)}`
const setUri = (id: number) => `pharos://document-set/${id}`

export function addResources(server: McpServer, needs: McpNeeds, caller: McpCaller): void {
  const read = (uri: URL, work: () => Promise<object>) => content(needs, caller, uri, work)
  server.registerResource(
    'source',
    new ResourceTemplate('pharos://source/{source}', {
      list: () =>
        guarded(needs, caller, async () => ({ resources: (await sourcesOf(needs, caller)).map(sourceResource) })),
    }),
    { title: 'Source', description: 'How much a source holds, and what is new in it.', mimeType: JSON_TYPE },
    (uri, { source }) => read(uri, () => holdingOf(needs, caller, uri, { source_types: [decoded(source)] })),
  )
  server.registerResource(
    'document-set',
    new ResourceTemplate('pharos://document-set/{id}', {
      list: () => guarded(needs, caller, async () => ({ resources: (await setsOf(needs, caller)).map(setResource) })),
    }),
    {
      title: 'Document set',
      description: 'What belongs to a document set, and what is new in it.',
      mimeType: JSON_TYPE,
    },
    (uri, { id }) => read(uri, () => setHoldingOf(needs, caller, uri, decoded(id))),
  )
  server.registerResource(
    'document',
    new ResourceTemplate('pharos://document/{id}', { list: undefined }),
    { title: 'Document', description: 'A document as fetch reads it.', mimeType: JSON_TYPE },
    (uri, { id }) => read(uri, async () => piece(needs.db, await needs.accessOf(caller.subject), { id: decoded(id) })),
  )
}

/** The sources of documents that the asker may read, and how many documents each has. */
async function sourcesOf({ retrieve }: McpNeeds, { subject }: McpCaller): Promise<{ value: string; count: number }[]> {
  const search = { query: '', filters: {}, offset: 0, limit: 1, sort: 'date', isCounted: true } as const
  const { facets } = await retrieve(subject, search)
  return facets?.find((it) => it.field === 'source_type')?.values ?? []
}

const setsOf = ({ db }: McpNeeds, { subject }: McpCaller): Promise<DocumentSet[]> =>
  listDocumentSets(db, subject, EVERY_SET)

const sourceResource = ({ value, count }: { value: string; count: number }) => ({
  uri: sourceUri(value),
  name: value,
  title: value,
  description: `${count} document${count === 1 ? '' : 's'} of the source ${value}.`,
  mimeType: JSON_TYPE,
})

const setResource = ({ id, name, description }: DocumentSet) => ({
  uri: setUri(id),
  name,
  title: name,
  ...(description !== '' && { description }),
  mimeType: JSON_TYPE,
})

/** What is not there and what is closed are the same: nothing is held. */
async function holdingOf({ retrieve }: McpNeeds, { subject }: McpCaller, uri: URL, filters: Filters): Promise<object> {
  const found = await retrieve(subject, { query: '', filters, offset: 0, limit: NEWEST, sort: 'date', isCounted: true })
  if (found.total === 0) throw new ResourceNotFoundError(uri.href)
  return holding(found)
}

async function setHoldingOf(needs: McpNeeds, caller: McpCaller, uri: URL, id: string): Promise<object> {
  const set = (await setsOf(needs, caller)).find((it) => String(it.id) === id)
  if (set === undefined) throw new ResourceNotFoundError(uri.href)
  const filters = { cc_pair_ids: set.cc_pairs.map((it) => it.id) }
  const search = { query: '', filters, offset: 0, limit: NEWEST, sort: 'date', isCounted: true } as const
  const found = await needs.retrieve(caller.subject, search)
  return { name: set.name, description: set.description, ...holding(found) }
}

const holding = ({ results, total, total_relation, facets }: Results) => ({
  documents: total,
  documents_relation: total_relation,
  sources: facets?.find((it) => it.field === 'source_type')?.values ?? [],
  newest: results.map(({ document }) => ({
    id: document.id,
    title: document.title ?? document.semantic_identifier,
    url: document.link ?? documentUri(document.id),
    updated_at: new Date(document.updated_at).toISOString(),
  })),
})

/** As the address spells it; one that cannot be decoded names nothing. */
function decoded(value: string | string[] = ''): string {
  try {
    return decodeURIComponent(String(value))
  } catch {
    return String(value)
  }
}

const content = (
  needs: McpNeeds,
  caller: McpCaller,
  uri: URL,
  work: () => Promise<object>,
): Promise<ReadResourceResult> =>
  guarded(
    needs,
    caller,
    async () => ({
      contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: JSON.stringify(await work()) }],
    }),
    uri,
  )

/** An edge: a throw becomes an error of the protocol. */
async function guarded<T>(
  { logger }: McpNeeds,
  { requestId }: McpCaller,
  work: () => Promise<T>,
  uri?: URL,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    const isMissing = error instanceof AppError && error.status === 404
    if (isMissing && uri !== undefined) throw new ResourceNotFoundError(uri.href)
    throw new ProtocolError(ProtocolErrorCode.InternalError, sentenceOf(error, logger, requestId))
  }
}
