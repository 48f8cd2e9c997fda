// Packets as one piece: what a client is answered that does not stream, and what is kept of an answer.
import type { ChatFullResponse } from '../domain/chat.ts'
import type { Packet, PacketObject } from '../domain/packet.ts'
import type { SearchDoc } from '../domain/search-doc.ts'

type Folded = Omit<ChatFullResponse, 'message_id' | 'chat_session_id' | 'incognito'>
type ToolCall = Folded['tool_calls'][number]
type Of<T extends PacketObject['type']> = Extract<PacketObject, { type: T }>

export function fold(packets: readonly Packet[]): Folded {
  const objects = packets.map((it) => it.obj)
  const answer = textOf(packets)
  const citations = allOf(objects, 'citation_info')
  const start = allOf(objects, 'message_start').at(-1)
  return {
    answer,
    answer_citationless: withoutMarks(answer, new Set(citations.map((it) => it.citation_number))),
    pre_answer_reasoning: joined(allOf(objects, 'reasoning_delta').map((it) => it.reasoning)),
    tool_calls: toolCallsOf(packets),
    top_documents: start?.final_documents ?? documentsOf(packets),
    citation_info: citations,
    is_extractive: start?.is_extractive ?? false,
    extractive_reason: start?.extractive_reason ?? null,
    error_msg: joined(
      allOf(objects, 'error').map((it) => it.message),
      ' ',
    ),
  }
}

/** What the person was told, with the marks of citations. */
export const textOf = (packets: readonly Packet[]): string =>
  allOf(
    packets.map((it) => it.obj),
    'message_delta',
  )
    .map((it) => it.content)
    .join('')

export interface Usage {
  model: string | null
  input_tokens: number
  output_tokens: number
}

export function usageOf(packets: readonly Packet[]): Usage {
  const counted = allOf(
    packets.map((it) => it.obj),
    'token_usage',
  )
  return {
    model: counted.at(-1)?.model ?? null,
    input_tokens: counted.reduce((sum, it) => sum + it.input_tokens, 0),
    output_tokens: counted.reduce((sum, it) => sum + it.output_tokens, 0),
  }
}

/** Each document once, as it was found first. */
export function documentsOf(packets: readonly Packet[]): SearchDoc[] {
  const found = packets.flatMap(({ obj }) => shownDocuments(obj))
  return [...new Map(found.toReversed().map((it) => [it.document_id, it])).values()].reverse()
}

export function shownDocuments(obj: PacketObject): readonly SearchDoc[] {
  if (obj.type === 'search_tool_documents_delta' || obj.type === 'open_url_documents') return obj.documents
  return obj.type === 'message_start' ? (obj.final_documents ?? []) : []
}

/** Pieces of one text become one, and what only kept the line open goes. */
export function compact(packets: readonly Packet[]): Packet[] {
  const kept: Packet[] = []
  for (const packet of packets) {
    const merged = mergedWith(kept.at(-1), packet)
    if (merged !== undefined) kept[kept.length - 1] = merged
    else if (packet.obj.type !== 'chat_heartbeat') kept.push(packet)
  }
  return kept
}

function mergedWith(before: Packet | undefined, { placement, obj }: Packet): Packet | undefined {
  if (before === undefined || keyOf(before) !== keyOf({ placement, obj })) return
  if (before.obj.type === 'message_delta' && obj.type === 'message_delta') {
    return { placement, obj: { ...obj, content: before.obj.content + obj.content } }
  }
  if (before.obj.type === 'reasoning_delta' && obj.type === 'reasoning_delta') {
    return { placement, obj: { ...obj, reasoning: before.obj.reasoning + obj.reasoning } }
  }
}

const keyOf = ({ placement: { turn_index, tab_index } }: Packet) => `${turn_index}/${tab_index}`

/** A step of the answer is one call, unless it says itself that a second one begins. */
function toolCallsOf(packets: readonly Packet[]): ToolCall[] {
  const calls = new Map<string, ToolCall>()
  let reasoning = ''
  for (const packet of packets) {
    const { obj } = packet
    if (obj.type === 'reasoning_delta') reasoning += obj.reasoning
    const part = partOf(obj)
    if (part === undefined) continue
    const key = keyOf(packet)
    const call = calls.get(key) ?? blank(reasoning)
    if (!calls.has(key)) reasoning = ''
    calls.set(key, joinedCall(call, part))
  }
  return [...calls.values()]
}

const blank = (reasoning: string): ToolCall => ({
  tool_name: '',
  tool_arguments: {},
  tool_result: '',
  search_docs: null,
  generated_images: null,
  pre_reasoning: reasoning === '' ? null : reasoning,
})

const joinedCall = (call: ToolCall, part: Partial<ToolCall>): ToolCall => ({
  ...call,
  ...part,
  tool_arguments: { ...call.tool_arguments, ...part.tool_arguments },
  search_docs: part.search_docs ? [...(call.search_docs ?? []), ...part.search_docs] : call.search_docs,
})

/** What a packet says of the call that it belongs to. */
function partOf(obj: PacketObject): Partial<ToolCall> | undefined {
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
      return { tool_name: obj.tool_name, tool_result: resultOf(obj) }
  }
}

function resultOf({ data, error }: Of<'custom_tool_delta'>): string {
  if (error) return error.message
  return typeof data === 'string' ? data : JSON.stringify(data ?? null)
}

/** `[[n]](link)`, with the space before it. What else stands in brackets is a text's own. */
const MARK = / ?\[\[(\d+)\]\]\([^()]*\)/g

export const withoutMarks = (text: string, numbers: ReadonlySet<number>): string =>
  text.replace(MARK, (mark, number: string) => (numbers.has(Number(number)) ? '' : mark))

const allOf = <T extends PacketObject['type']>(objects: readonly PacketObject[], type: T): Of<T>[] =>
  // The cast because the compiler does not narrow by a type that is a parameter.
  objects.filter((it) => it.type === type) as Of<T>[]

const joined = (texts: readonly string[], by = ''): string | null => (texts.length === 0 ? null : texts.join(by))
