// The packets of a streamed chat answer. Spelled as in the wire format; clients ignore unknown types.
import { z } from 'zod'
import { SearchDoc } from './search-doc.ts'

/** Each gets its own component name, such as `MessageStartPacket`, so that generated clients have a type for each. */
const packetSchema = <T extends string, S extends z.ZodRawShape>(type: T, fields: S) =>
  z.object({ type: z.literal(type), ...fields }).meta({ id: `${type.split('_').map(capitalized).join('')}Packet` })

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

const toolFields = { tool_name: z.string(), tool_id: z.int() }

export const CitationInfo = packetSchema('citation_info', {
  citation_number: z.int(),
  document_id: z.string(),
  chunk_ind: z.int().optional(),
  link: z.string().nullable().optional().describe('Links to the passage, as precisely as the source allows.'),
  quote: z.string().nullable().optional().describe('Words of the passage that support the sentence.'),
})

export const PacketObject = z
  .discriminatedUnion('type', [
    packetSchema('message_start', {
      final_documents: z.array(SearchDoc).nullable(),
      pre_answer_processing_seconds: z.number().nullable(),
      is_extractive: z
        .boolean()
        .optional()
        .describe(
          'The answer consists of quotations because no language model wrote it; `extractive_reason` says why.',
        ),
      extractive_reason: z.string().nullable().optional(),
    }),
    packetSchema('message_delta', { content: z.string() }),
    CitationInfo,
    packetSchema('citations_removed', {
      count: z.int().describe('Unsupported citations of the model; they were not shown.'),
    }),
    packetSchema('reasoning_start', {}),
    packetSchema('reasoning_delta', { reasoning: z.string() }),
    packetSchema('reasoning_done', {}),
    packetSchema('search_tool_start', { is_internet_search: z.boolean() }),
    packetSchema('search_tool_queries_delta', { queries: z.array(z.string()) }),
    packetSchema('search_tool_filter_delta', {
      sources: z.array(z.string()),
      time_filter_start: z.iso.datetime().nullable(),
      time_filter_end: z.iso.datetime().nullable(),
    }),
    packetSchema('search_tool_documents_delta', { documents: z.array(SearchDoc) }),
    packetSchema('open_url_start', {}),
    packetSchema('open_url_urls', { urls: z.array(z.string()) }),
    packetSchema('open_url_documents', { documents: z.array(SearchDoc) }),
    packetSchema('file_reader_start', {}),
    packetSchema('file_reader_result', {
      file_name: z.string(),
      file_id: z.string(),
      start_char: z.int(),
      end_char: z.int(),
      total_chars: z.int(),
      preview_start: z.string(),
      preview_end: z.string(),
    }),
    packetSchema('custom_tool_start', toolFields),
    packetSchema('custom_tool_args', { tool_name: z.string(), tool_args: z.record(z.string(), z.unknown()) }),
    packetSchema('custom_tool_confirmation', {
      ...toolFields,
      confirmation_id: z.string().describe('For `POST /chat/confirm-tool-call`.'),
      method: z.string(),
      url: z.string(),
      tool_args: z.record(z.string(), z.unknown()),
      passes_token: z
        .boolean()
        .optional()
        .describe(
          'Asks whether the tool may receive a token that lasts five minutes and can search as the user. The consent is stored; see `/user/passthrough-consent`.',
        ),
    }),
    packetSchema('custom_tool_delta', {
      ...toolFields,
      response_type: z.string(),
      data: z.unknown(),
      file_ids: z.array(z.string()).nullable(),
      error: z
        .object({
          is_auth_error: z.boolean(),
          status_code: z.int().nullable(),
          message: z.string(),
          oauth_config_id: z
            .int()
            .optional()
            .describe('The account that the user must connect first: `POST /oauth-config/initiate`.'),
        })
        .nullable()
        .optional(),
    }),
    packetSchema('tool_call_debug', {
      tool_call_id: z.string(),
      tool_name: z.string(),
      tool_args: z.record(z.string(), z.unknown()),
    }),
    packetSchema('token_usage', { model: z.string(), input_tokens: z.int(), output_tokens: z.int() }),
    packetSchema('section_end', {}),
    packetSchema('chat_heartbeat', {}),
    packetSchema('error', { message: z.string() }),
    packetSchema('stop', { stop_reason: z.string().nullable() }),
  ])
  .meta({ id: 'PacketObject' })
export type PacketObject = z.infer<typeof PacketObject>

export const Packet = z
  .object({
    placement: z.object({
      turn_index: z
        .int()
        .describe('The step of the answer, counted from 0: each round of tool calls and each text is a step.'),
      tab_index: z.int().describe('Distinguishes the tools that run in parallel in one step.'),
      sub_turn_index: z.int().nullable(),
      model_index: z.int().nullable(),
    }),
    obj: PacketObject,
  })
  .meta({ id: 'Packet' })
export type Packet = z.infer<typeof Packet>

/**
 * The visibility of packets in a shared chat: `personal` ones contain reasoning, or arguments and results of tools that
 * acted for the user who asked. A new type of packet does not compile until it is listed here.
 */
const VISIBILITY = {
  message_start: 'shared',
  message_delta: 'shared',
  citation_info: 'shared',
  citations_removed: 'shared',
  reasoning_start: 'personal',
  reasoning_delta: 'personal',
  reasoning_done: 'personal',
  search_tool_start: 'shared',
  search_tool_queries_delta: 'shared',
  search_tool_filter_delta: 'shared',
  search_tool_documents_delta: 'shared',
  open_url_start: 'shared',
  open_url_urls: 'shared',
  open_url_documents: 'shared',
  file_reader_start: 'personal',
  file_reader_result: 'personal',
  custom_tool_start: 'personal',
  custom_tool_args: 'personal',
  custom_tool_confirmation: 'personal',
  custom_tool_delta: 'personal',
  tool_call_debug: 'personal',
  token_usage: 'shared',
  section_end: 'shared',
  chat_heartbeat: 'shared',
  error: 'shared',
  stop: 'shared',
} as const satisfies Record<PacketObject['type'], 'shared' | 'personal'>

const SHARED_TYPES: ReadonlySet<string> = new Set(
  Object.entries(VISIBILITY).flatMap(([type, visibility]) => (visibility === 'shared' ? [type] : [])),
)

/** A type that this program does not know, such as one stored by a newer version, is personal. */
export const isShareable = ({ type }: { type: string }): boolean => SHARED_TYPES.has(type)
