// Reduces packets to what is shown: steps, text, documents and citations.
import type { Packet, PacketObject, SearchDoc } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'
import type { Citation, FileRead, PendingCall, SearchFilters, TokenUsage, ToolAnswer } from './wire.ts'

export type Step = { key: string; isDone: boolean } & (
  | {
      kind: 'search'
      isInternet: boolean
      queries: readonly string[]
      filters: SearchFilters | null
      documents: readonly SearchDoc[]
    }
  | { kind: 'open_url'; urls: readonly string[]; documents: readonly SearchDoc[] }
  | { kind: 'read_file'; file: FileRead | null }
  | {
      kind: 'tool'
      tool_name: string
      tool_args: Record<string, unknown> | null
      /** Null before the tool asks for approval and after it responds. */
      confirmation: PendingCall | null
      answer: ToolAnswer | null
    }
  | { kind: 'reasoning'; text: string }
)

export interface Answer {
  /** The number of packets without heartbeats: the cursor for resuming the stream. */
  packets: number
  steps: readonly Step[]
  text: string
  /** Unique documents: those given to the model, otherwise all that were found. */
  documents: readonly SearchDoc[]
  /** Keyed by citation number. */
  citations: ReadonlyMap<number, Citation>
  /** Null when a language model wrote the answer. */
  extractiveReason: string | null
  removed: number
  usage: TokenUsage | null
  faults: readonly string[]
  /** Undefined while the answer is running; null after a normal end. */
  stop_reason: string | null | undefined
}

export const EMPTY_ANSWER: Answer = {
  packets: 0,
  steps: [],
  text: '',
  documents: [],
  citations: new Map(),
  extractiveReason: null,
  removed: 0,
  usage: null,
  faults: [],
  stop_reason: undefined,
}

export const toAnswer = (packets: readonly Packet[]): Answer => packets.reduce(addPacket, EMPTY_ANSWER)

/** Unknown packets are ignored. */
export function addPacket(before: Answer, { placement, obj }: Packet): Answer {
  const key = `${placement.turn_index}/${placement.tab_index}/${placement.sub_turn_index ?? ''}`
  if (obj.type === 'chat_heartbeat') return before
  const answer = { ...before, packets: before.packets + 1 }
  switch (obj.type) {
    case 'message_start':
      return withMessageStart(answer, obj)
    case 'message_delta':
      return { ...answer, text: answer.text + obj.content, steps: answer.steps.map(markDone) }
    case 'citation_info':
      return { ...answer, citations: new Map(answer.citations).set(obj.citation_number, obj) }
    case 'citations_removed':
      return { ...answer, removed: answer.removed + obj.count }
    case 'token_usage':
      return { ...answer, usage: addUsage(answer.usage, obj) }
    case 'error':
      return { ...answer, faults: [...answer.faults, obj.message] }
    case 'section_end':
      return { ...answer, steps: answer.steps.map((it) => (it.key === key ? markDone(it) : it)) }
    case 'stop':
      return { ...answer, stop_reason: obj.stop_reason, steps: answer.steps.map(markDone) }
    default:
      return withFoundDocuments({ ...answer, steps: withStep(answer.steps, key, obj) }, obj)
  }
}

function withMessageStart(answer: Answer, obj: Extract<PacketObject, { type: 'message_start' }>): Answer {
  const { final_documents, is_extractive = false, extractive_reason } = obj
  // Text written before a tool call is a separate paragraph.
  const gap = answer.text === '' || answer.text.endsWith('\n') ? '' : '\n\n'
  return {
    ...answer,
    text: answer.text + gap,
    documents: final_documents === null ? answer.documents : uniqueDocuments(final_documents),
    extractiveReason: is_extractive
      ? (extractive_reason ?? textsOf('chat.answer')('quotes_help'))
      : answer.extractiveReason,
  }
}

const addUsage = (before: TokenUsage | null, { model, input_tokens, output_tokens }: TokenUsage): TokenUsage => ({
  model,
  input_tokens: (before?.input_tokens ?? 0) + input_tokens,
  output_tokens: (before?.output_tokens ?? 0) + output_tokens,
})

const withFoundDocuments = (answer: Answer, obj: PacketObject): Answer =>
  obj.type === 'search_tool_documents_delta' || obj.type === 'open_url_documents'
    ? { ...answer, documents: uniqueDocuments([...answer.documents, ...obj.documents]) }
    : answer

const uniqueDocuments = (documents: readonly SearchDoc[]): SearchDoc[] =>
  [...new Map(documents.toReversed().map((it) => [it.document_id, it])).values()].reverse()

const markDone = (step: Step): Step => (step.isDone ? step : { ...step, isDone: true })

/** A step is one tool call at one placement. A packet for an unknown step starts it. */
function withStep(steps: readonly Step[], key: string, obj: PacketObject): readonly Step[] {
  const emptyStep = emptyStepFor(obj)
  if (emptyStep === undefined) return steps
  const at = steps.findLastIndex((it) => it.key === key && it.kind === emptyStep.kind && !it.isDone)
  const open = steps[at]
  if (open !== undefined && (!isStart(obj) || isEmptyReasoning(open))) return steps.with(at, updateStep(open, obj))
  return [...steps, updateStep({ key, isDone: false, ...emptyStep }, obj)]
}

const isStart = ({ type }: PacketObject) => type.endsWith('_start')
const isEmptyReasoning = (step: Step) => step.kind === 'reasoning' && step.text === ''

type EmptyStep = Step extends infer S ? (S extends Step ? Omit<S, 'key' | 'isDone'> : never) : never

function emptyStepFor(obj: PacketObject): EmptyStep | undefined {
  switch (obj.type) {
    case 'search_tool_start':
    case 'search_tool_queries_delta':
    case 'search_tool_filter_delta':
    case 'search_tool_documents_delta':
      return { kind: 'search', isInternet: false, queries: [], filters: null, documents: [] }
    case 'open_url_start':
    case 'open_url_urls':
    case 'open_url_documents':
      return { kind: 'open_url', urls: [], documents: [] }
    case 'file_reader_start':
    case 'file_reader_result':
      return { kind: 'read_file', file: null }
    case 'custom_tool_start':
    case 'custom_tool_args':
    case 'custom_tool_confirmation':
    case 'custom_tool_delta':
      return { kind: 'tool', tool_name: obj.tool_name, tool_args: null, confirmation: null, answer: null }
    case 'reasoning_start':
    case 'reasoning_delta':
    case 'reasoning_done':
      return { kind: 'reasoning', text: '' }
  }
}

function updateStep(step: Step, obj: PacketObject): Step {
  switch (step.kind) {
    case 'search':
      if (obj.type === 'search_tool_start') return { ...step, isInternet: obj.is_internet_search }
      if (obj.type === 'search_tool_queries_delta') return { ...step, queries: [...step.queries, ...obj.queries] }
      if (obj.type === 'search_tool_filter_delta') return { ...step, filters: obj }
      return obj.type === 'search_tool_documents_delta'
        ? { ...step, documents: uniqueDocuments([...step.documents, ...obj.documents]) }
        : step
    case 'open_url':
      if (obj.type === 'open_url_urls') return { ...step, urls: [...step.urls, ...obj.urls] }
      return obj.type === 'open_url_documents'
        ? { ...step, documents: uniqueDocuments([...step.documents, ...obj.documents]) }
        : step
    case 'read_file':
      return obj.type === 'file_reader_result' ? { ...step, file: obj } : step
    case 'tool':
      if (obj.type === 'custom_tool_args') return { ...step, tool_args: obj.tool_args }
      if (obj.type === 'custom_tool_confirmation') return { ...step, tool_args: obj.tool_args, confirmation: obj }
      return obj.type === 'custom_tool_delta' ? { ...step, answer: obj, confirmation: null } : step
    case 'reasoning':
      if (obj.type === 'reasoning_done') return { ...step, isDone: true }
      return obj.type === 'reasoning_delta' ? { ...step, text: step.text + obj.reasoning } : step
  }
}

/** The tool call that waits for approval; none once the answer has ended. */
export const pendingCall = (answer: Answer): PendingCall | undefined =>
  answer.steps.flatMap((it) => (it.kind === 'tool' && !it.isDone && it.confirmation ? [it.confirmation] : [])).at(0)

/** The text for the clipboard: `[[n]](link)` becomes `[n]`, with a list of sources at the end. */
export function plainText({ text, citations, documents }: Answer): string {
  const lines = [...citations.values()].map(({ citation_number, document_id, link }) => {
    const title = documents.find((it) => it.document_id === document_id)?.semantic_identifier ?? document_id
    return `[${citation_number}] ${title}${link ? ` – ${link}` : ''}`
  })
  const plain = text.replace(/\[\[(\d+)\]\]\([^()]*\)/g, '[$1]').trim()
  return lines.length === 0 ? plain : `${plain}\n\n${lines.join('\n')}`
}
