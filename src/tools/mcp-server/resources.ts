// The sources, document sets and documents that the caller may read, as MCP resources.

import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { AppError } from '../../domain/errors.ts'
import type { Filters } from '../../domain/search/query.ts'
import { displayLink, displayTitle } from '../../domain/values/display-text.ts'
import type { RetrievalResults } from '../../retrieval/retrieve.ts'
import { type DocumentSet, listDocumentSets } from '../../store/sources/document-sets.ts'
import { readDocumentPart } from './fetch.ts'
import { describeErrorForClient, documentUri, type McpCaller, type McpServerDeps } from './tool-result.ts'

const JSON_TYPE = 'application/json'
const NEWEST_COUNT = 20
const ALL_SETS_PAGE = { after: 0, limit: 1_000 }
const sourceUri = (source: string) => `pharos://source/${encodeURIComponent(source)}`
const setUri = (id: number) => `pharos://document-set/${id}`

export function addResources(server: McpServer, deps: McpServerDeps, caller: McpCaller): void {
  const read = (uri: URL, work: () => Promise<object>) => readResource(deps, caller, uri, work)
  server.registerResource(
    'source',
    new ResourceTemplate('pharos://source/{source}', {
      list: () =>
        withProtocolErrors(deps, caller, async () => ({
          resources: (await listSources(deps, caller)).map(sourceResource),
        })),
    }),
    { title: 'Source', description: 'The number of documents of a source, and the newest ones.', mimeType: JSON_TYPE },
    (uri, { source }) => read(uri, () => readHoldings(deps, caller, uri, { source_types: [decodeSegment(source)] })),
  )
  server.registerResource(
    'document-set',
    new ResourceTemplate('pharos://document-set/{id}', {
      list: () =>
        withProtocolErrors(deps, caller, async () => ({ resources: (await listSets(deps, caller)).map(setResource) })),
    }),
    {
      title: 'Document set',
      description: 'The number of documents of a document set, and the newest ones.',
      mimeType: JSON_TYPE,
    },
    (uri, { id }) => read(uri, () => readSetHoldings(deps, caller, uri, decodeSegment(id))),
  )
  server.registerResource(
    'document',
    new ResourceTemplate('pharos://document/{id}', { list: undefined }),
    { title: 'Document', description: 'A document, as returned by fetch.', mimeType: JSON_TYPE },
    (uri, { id }) =>
      read(uri, async () => readDocumentPart(deps.db, await deps.accessOf(caller.subject), { id: decodeSegment(id) })),
  )
}

/** Returns the sources of readable documents with their number of documents. */
async function listSources(
  { retrieve }: McpServerDeps,
  { subject }: McpCaller,
): Promise<{ value: string; count: number }[]> {
  const search = { query: '', filters: {}, offset: 0, limit: 1, sort: 'date', isCounted: true } as const
  const { facets } = await retrieve(subject, search)
  return facets?.find((it) => it.field === 'source_type')?.values ?? []
}

const listSets = ({ db }: McpServerDeps, { subject }: McpCaller): Promise<DocumentSet[]> =>
  listDocumentSets(db, subject, ALL_SETS_PAGE)

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

/** Unknown sources and sources without readable documents look the same. */
async function readHoldings(
  { retrieve }: McpServerDeps,
  { subject }: McpCaller,
  uri: URL,
  filters: Filters,
): Promise<object> {
  const found = await retrieve(subject, {
    query: '',
    filters,
    offset: 0,
    limit: NEWEST_COUNT,
    sort: 'date',
    isCounted: true,
  })
  if (found.total === 0) throw new ResourceNotFoundError(uri.href)
  return toHoldings(found)
}

async function readSetHoldings(deps: McpServerDeps, caller: McpCaller, uri: URL, id: string): Promise<object> {
  const set = (await listSets(deps, caller)).find((it) => String(it.id) === id)
  if (set === undefined) throw new ResourceNotFoundError(uri.href)
  const filters = { cc_pair_ids: set.cc_pairs.map((it) => it.id) }
  const search = { query: '', filters, offset: 0, limit: NEWEST_COUNT, sort: 'date', isCounted: true } as const
  const found = await deps.retrieve(caller.subject, search)
  return { name: set.name, description: set.description, ...toHoldings(found) }
}

const toHoldings = ({ results, total, total_relation, facets }: RetrievalResults) => ({
  documents: total,
  documents_relation: total_relation,
  sources: facets?.find((it) => it.field === 'source_type')?.values ?? [],
  newest: results.map(({ document }) => ({
    id: document.id,
    title: displayTitle(document.title ?? document.semantic_identifier),
    url: displayLink(document.link) ?? documentUri(document.id),
    updated_at: new Date(document.updated_at).toISOString(),
  })),
})

/** Segments that cannot be decoded are used as they are; they match nothing. */
function decodeSegment(value: string | string[] = ''): string {
  try {
    return decodeURIComponent(String(value))
  } catch {
    return String(value)
  }
}

const readResource = (
  deps: McpServerDeps,
  caller: McpCaller,
  uri: URL,
  work: () => Promise<object>,
): Promise<ReadResourceResult> =>
  withProtocolErrors(
    deps,
    caller,
    async () => ({
      contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: JSON.stringify(await work()) }],
    }),
    uri,
  )

/** Turns errors into errors of the protocol. */
async function withProtocolErrors<T>(
  { logger }: McpServerDeps,
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
    throw new ProtocolError(ProtocolErrorCode.InternalError, describeErrorForClient(error, logger, requestId))
  }
}
