// What a chat answers, piece by piece. The spelling is the wire's; clients ignore the types that they do not know.
import { z } from 'zod'
import { SearchDoc } from './search-doc.ts'

const packet = <T extends string, S extends z.ZodRawShape>(type: T, fields: S) =>
  z.object({ type: z.literal(type), ...fields })

const tool = { tool_name: z.string(), tool_id: z.int() }

export const CitationInfo = packet('citation_info', {
  citation_number: z.int(),
  document_id: z.string(),
  chunk_ind: z.int().optional(),
  link: z.string().nullable().optional().describe('To the passage, as near as the source allows.'),
  quote: z.string().nullable().optional().describe('Words of the passage on which the sentence rests.'),
})

export const PacketObject = z
  .discriminatedUnion('type', [
    packet('message_start', {
      final_documents: z.array(SearchDoc).nullable(),
      pre_answer_processing_seconds: z.number().nullable(),
      is_extractive: z
        .boolean()
        .optional()
        .describe('The answer quotes, no language model wrote it; `extractive_reason` says why.'),
      extractive_reason: z.string().nullable().optional(),
    }),
    packet('message_delta', { content: z.string() }),
    CitationInfo,
    packet('citations_removed', {
      count: z.int().describe('Citations that the model wrote and that did not hold; none of them was shown.'),
    }),
    packet('reasoning_start', {}),
    packet('reasoning_delta', { reasoning: z.string() }),
    packet('reasoning_done', {}),
    packet('search_tool_start', { is_internet_search: z.boolean() }),
    packet('search_tool_queries_delta', { queries: z.array(z.string()) }),
    packet('search_tool_filter_delta', {
      sources: z.array(z.string()),
      time_filter_start: z.iso.datetime().nullable(),
      time_filter_end: z.iso.datetime().nullable(),
    }),
    packet('search_tool_documents_delta', { documents: z.array(SearchDoc) }),
    packet('open_url_start', {}),
    packet('open_url_urls', { urls: z.array(z.string()) }),
    packet('open_url_documents', { documents: z.array(SearchDoc) }),
    packet('file_reader_start', {}),
    packet('file_reader_result', {
      file_name: z.string(),
      file_id: z.string(),
      start_char: z.int(),
      end_char: z.int(),
      total_chars: z.int(),
      preview_start: z.string(),
      preview_end: z.string(),
    }),
    packet('custom_tool_start', tool),
    packet('custom_tool_args', { tool_name: z.string(), tool_args: z.record(z.string(), z.unknown()) }),
    packet('custom_tool_confirmation', {
      ...tool,
      confirmation_id: z.string().describe('For `POST /chat/confirm-tool-call`.'),
      method: z.string(),
      url: z.string(),
      tool_args: z.record(z.string(), z.unknown()),
    }),
    packet('custom_tool_delta', {
      ...tool,
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
            .describe('The account that the person has to connect first: `POST /oauth-config/initiate`.'),
        })
        .nullable()
        .optional(),
    }),
    packet('tool_call_debug', {
      tool_call_id: z.string(),
      tool_name: z.string(),
      tool_args: z.record(z.string(), z.unknown()),
    }),
    packet('token_usage', { model: z.string(), input_tokens: z.int(), output_tokens: z.int() }),
    packet('section_end', {}),
    packet('chat_heartbeat', {}),
    packet('error', { message: z.string() }),
    packet('stop', { stop_reason: z.string().nullable() }),
  ])
  .meta({ id: 'PacketObject' })
export type PacketObject = z.infer<typeof PacketObject>

export const Packet = z
  .object({
    placement: z.object({
      turn_index: z.int().describe('Steps of the answer, counted from 0: each use of a tool and each text is one.'),
      tab_index: z.int().describe('Of the tools that work beside each other in one step.'),
      sub_turn_index: z.int().nullable(),
      model_index: z.int().nullable(),
    }),
    obj: PacketObject,
  })
  .meta({ id: 'Packet' })
export type Packet = z.infer<typeof Packet>
