// Search in the format of the existing server, as one object or as lines of JSON.
import { z } from 'zod'
import { SearchDoc } from '../../../domain/chat/search-doc.ts'
import { resultToSearchDoc } from '../../../retrieval/search-doc.ts'
import { getPersonaScope } from '../../../store/chats/persona-scope.ts'
import { nullish, wireBoolean, wireInteger, wireString } from '../../../wire/schemas.ts'
import { EVENT_STREAM_TYPE } from '../../http/line-stream.ts'
import { route } from '../../route.ts'
import { baseFilterFields, toFilters } from '../../wire/base-filters.ts'
import { persona_id } from './search.ts'

const MAX_QUERY = 2_048
const MAX_HITS = 1_000
const DEFAULT_HITS = 30

const SendSearchQueryRequest = z
  .object({
    search_query: wireString({ min: 1, max: MAX_QUERY }),
    filters: nullish(z.object(baseFilterFields)),
    num_hits: nullish(wireInteger({ min: 1, max: MAX_HITS })).describe(`Default: ${DEFAULT_HITS}.`),
    include_content: nullish(wireBoolean()).describe('Include the text of the best passage of each document.'),
    stream: nullish(wireBoolean()).describe('True: lines of JSON. Default: false, one object.'),
    persona_id,
  })
  .meta({ id: 'SendSearchQueryRequest' })

const SearchDocWithContent = SearchDoc.extend({
  content: z.string().nullable().describe('Null unless `include_content` was sent.'),
}).meta({ id: 'SearchDocWithContent' })

const SearchFullResponse = z
  .object({
    all_executed_queries: z.array(z.string()).describe('The query, or its spelling correction.'),
    search_docs: z.array(SearchDocWithContent),
    doc_selection_reasoning: z.null().describe('Always null: no model selects documents.'),
    llm_selected_doc_ids: z.null(),
    error: z.null().describe('Always null: a failed search responds with an error status.'),
  })
  .meta({ id: 'SearchFullResponse' })
type SearchFullResponse = z.infer<typeof SearchFullResponse>

const SearchLine = z
  .union([
    z
      .object({ type: z.literal('search_queries'), all_executed_queries: z.array(z.string()) })
      .meta({ id: 'SearchQueriesLine' }),
    z
      .object({ type: z.literal('search_docs'), search_docs: z.array(SearchDocWithContent) })
      .meta({ id: 'SearchDocsLine' }),
  ])
  .meta({ id: 'SearchLine' })

const searchLines = ({ all_executed_queries, search_docs }: SearchFullResponse): z.infer<typeof SearchLine>[] => [
  { type: 'search_queries', all_executed_queries },
  { type: 'search_docs', search_docs },
]

const ndjsonResponse = (response: SearchFullResponse): Response =>
  new Response(
    searchLines(response)
      .map((it) => `${JSON.stringify(it)}\n`)
      .join(''),
    {
      headers: { 'content-type': `${EVENT_STREAM_TYPE}; charset=utf-8` },
    },
  )

export const sendSearchMessageRoutes = [
  route({
    name: 'sendSearchMessage',
    method: 'POST',
    path: '/search/send-search-message',
    access: 'search',
    pool: 'search',
    tag: 'Search',
    summary: 'Send search message',
    description:
      'Returns documents that the key may read, best first. `POST /search` takes the same query and returns more details. With `stream`, the response is lines of JSON: the queries, then the documents.',
    body: SendSearchQueryRequest,
    reply: SearchFullResponse,
    stream: SearchLine,
    errors: ['PERSONA_NOT_FOUND'],
    services: ['db', 'retrieve'],
    handle: async ({ body, subject, services }) => {
      const { db } = services
      const scope = await getPersonaScope(db, subject, body.persona_id)
      const filters = await toFilters(body.filters, subject, db)
      const { results, corrected_query } = await services.retrieve(subject, {
        query: body.search_query,
        filters,
        scope,
        offset: 0,
        limit: body.num_hits ?? DEFAULT_HITS,
        isAnswersOnly: Object.keys(filters).length === 0,
      })
      const response: SearchFullResponse = {
        all_executed_queries: [corrected_query ?? body.search_query],
        search_docs: results.map((it) => ({
          ...resultToSearchDoc(it),
          content: body.include_content === true ? it.chunk.content : null,
        })),
        doc_selection_reasoning: null,
        llm_selected_doc_ids: null,
        error: null,
      }
      return body.stream === true ? ndjsonResponse(response) : response
    },
  }),
]
