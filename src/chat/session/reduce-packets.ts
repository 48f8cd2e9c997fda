// Reduces packets to one object: the reply to clients that do not stream, and the stored answer.
import type { ChatFullResponse } from '../../domain/chat/chat.ts'
import type { Packet, PacketObject } from '../../domain/chat/packet.ts'
import type { SearchDoc } from '../../domain/chat/search-doc.ts'

type ReducedPackets = Omit<ChatFullResponse, 'message_id' | 'chat_session_id' | 'incognito'>
type ToolCall = ReducedPackets['tool_calls'][number]
type PacketOfType<T extends PacketObject['type']> = Extract<PacketObject, { type: T }>

export function reducePackets(packets: readonly Packet[]): ReducedPackets {
  const objects = packets.map((it) => it.obj)
  const answer = answerText(packets)
  const citations = objectsOfType(objects, 'citation_info')
  const start = objectsOfType(objects, 'message_start').at(-1)
  return {
    answer,
    answer_citationless: removeCitationMarkers(answer, new Set(citations.map((it) => it.citation_number))),
    pre_answer_reasoning: joinOrNull(objectsOfType(objects, 'reasoning_delta').map((it) => it.reasoning)),
    tool_calls: collectToolCalls(packets),
    top_documents: start?.final_documents ?? documentsInPackets(packets),
    citation_info: citations,
    is_extractive: start?.is_extractive ?? false,
    extractive_reason: start?.extractive_reason ?? null,
    error_msg: joinOrNull(
      objectsOfType(objects, 'error').map((it) => it.message),
      ' ',
    ),
  }
}

/** The text shown to the user, including citation markers. */
export const answerText = (packets: readonly Packet[]): string =>
  objectsOfType(
    packets.map((it) => it.obj),
    'message_delta',
  )
    .map((it) => it.content)
    .join('')

export interface AnswerUsage {
  model: string | null
  input_tokens: number
  output_tokens: number
}

export function sumUsage(packets: readonly Packet[]): AnswerUsage {
  const counted = objectsOfType(
    packets.map((it) => it.obj),
    'token_usage',
  )
  return {
    model: counted.at(-1)?.model ?? null,
    input_tokens: counted.reduce((sum, it) => sum + it.input_tokens, 0),
    output_tokens: counted.reduce((sum, it) => sum + it.output_tokens, 0),
  }
}

/** How many citations of the model the verification removed. */
export const countRemovedCitations = (packets: readonly Packet[]): number =>
  objectsOfType(
    packets.map((it) => it.obj),
    'citations_removed',
  ).reduce((sum, it) => sum + it.count, 0)

/** Each document once, as it first appeared. */
export function documentsInPackets(packets: readonly Packet[]): SearchDoc[] {
  const found = packets.flatMap(({ obj }) => packetDocuments(obj))
  return [...new Map(found.toReversed().map((it) => [it.document_id, it])).values()].reverse()
}

export function packetDocuments(obj: PacketObject): readonly SearchDoc[] {
  if (obj.type === 'search_tool_documents_delta' || obj.type === 'open_url_documents') return obj.documents
  return obj.type === 'message_start' ? (obj.final_documents ?? []) : []
}

/** Merges consecutive text deltas and drops heartbeats. */
export function compactPackets(packets: readonly Packet[]): Packet[] {
  const kept: Packet[] = []
  for (const packet of packets) {
    const merged = mergePackets(kept.at(-1), packet)
    if (merged !== undefined) kept[kept.length - 1] = merged
    else if (packet.obj.type !== 'chat_heartbeat') kept.push(packet)
  }
  return kept
}

function mergePackets(before: Packet | undefined, { placement, obj }: Packet): Packet | undefined {
  if (before === undefined || placementKey(before) !== placementKey({ placement, obj })) return
  if (before.obj.type === 'message_delta' && obj.type === 'message_delta') {
    return { placement, obj: { ...obj, content: before.obj.content + obj.content } }
  }
  if (before.obj.type === 'reasoning_delta' && obj.type === 'reasoning_delta') {
    return { placement, obj: { ...obj, reasoning: before.obj.reasoning + obj.reasoning } }
  }
}

const placementKey = ({ placement: { turn_index, tab_index } }: Packet) => `${turn_index}/${tab_index}`

/** Each step is one call, identified by its placement. */
function collectToolCalls(packets: readonly Packet[]): ToolCall[] {
  const calls = new Map<string, ToolCall>()
  let reasoning = ''
  for (const packet of packets) {
    const { obj } = packet
    if (obj.type === 'reasoning_delta') reasoning += obj.reasoning
    const part = toolCallPart(obj)
    if (part === undefined) continue
    const key = placementKey(packet)
    const call = calls.get(key) ?? emptyToolCall(reasoning)
    if (!calls.has(key)) reasoning = ''
    calls.set(key, mergeToolCall(call, part))
  }
  return [...calls.values()]
}

const emptyToolCall = (reasoning: string): ToolCall => ({
  tool_name: '',
  tool_arguments: {},
  tool_result: '',
  search_docs: null,
  generated_images: null,
  pre_reasoning: reasoning === '' ? null : reasoning,
})

const mergeToolCall = (call: ToolCall, part: Partial<ToolCall>): ToolCall => ({
  ...call,
  ...part,
  tool_arguments: { ...call.tool_arguments, ...part.tool_arguments },
  search_docs: part.search_docs ? [...(call.search_docs ?? []), ...part.search_docs] : call.search_docs,
})

/** The part of a tool call that a packet describes. */
function toolCallPart(obj: PacketObject): Partial<ToolCall> | undefined {
  switch (obj.type) {
    case 'search_tool_start':
      return { tool_name: obj.is_internet_search ? 'web_search' : 'internal_search' }
    case 'search_tool_queries_delta':
      return { tool_arguments: { queries: obj.queries } }
    case 'search_tool_filter_delta': {
      const { type: _, ...filters } = obj
      return { tool_arguments: filters }
    }
    case 'search_tool_documents_delta':
    case 'open_url_documents':
      return { search_docs: obj.documents }
    case 'open_url_start':
      return { tool_name: 'open_url' }
    case 'open_url_urls':
      return { tool_arguments: { urls: obj.urls } }
    case 'file_reader_start':
      return { tool_name: 'read_file' }
    case 'file_reader_result':
      return { tool_arguments: { file_id: obj.file_id, file_name: obj.file_name }, tool_result: obj.preview_start }
    case 'custom_tool_start':
      return { tool_name: obj.tool_name }
    case 'custom_tool_args':
    case 'tool_call_debug':
      return { tool_name: obj.tool_name, tool_arguments: obj.tool_args }
    case 'custom_tool_delta':
      return { tool_name: obj.tool_name, tool_result: toolResultText(obj) }
  }
}

function toolResultText({ data, error }: PacketOfType<'custom_tool_delta'>): string {
  if (error) return error.message
  return typeof data === 'string' ? data : JSON.stringify(data ?? null)
}

/** `[[n]](link)` and the space before it. Other brackets belong to the text. */
const CITATION_MARKER = / ?\[\[(\d+)\]\]\([^()]*\)/g

export const removeCitationMarkers = (text: string, numbers: ReadonlySet<number>): string =>
  text.replace(CITATION_MARKER, (mark, number: string) => (numbers.has(Number(number)) ? '' : mark))

const objectsOfType = <T extends PacketObject['type']>(objects: readonly PacketObject[], type: T): PacketOfType<T>[] =>
  objects.filter((it): it is PacketOfType<T> => it.type === type)

const joinOrNull = (texts: readonly string[], by = ''): string | null => (texts.length === 0 ? null : texts.join(by))
