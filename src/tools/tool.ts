import type { PacketObject } from '../domain/packet.ts'
import type { Passage } from '../domain/passage.ts'
import type { Filters } from '../domain/query.ts'
import type { Subject } from '../domain/subject.ts'

/** For whom a tool works, and how it reaches that person meanwhile. */
export interface ToolRun {
  subject: Subject
  /** Narrow what the person may find: of the persona and of the question. */
  filters: Filters
  /** What was asked, for tools that look for something. */
  question: string
  /** The `Authorization` that the person sent, for tools that pass it on; null in a browser's session. */
  authorization: string | null
  /** Headers that the client wants a remote tool server to see. */
  remoteHeaders: Readonly<Record<string, string>>
  /** Shows the person what is going on. */
  emit(packet: PacketObject): void
  /** Asks the person before something is written; false where nobody answers in time or nobody can. */
  confirm(call: PendingCall): Promise<boolean>
  signal: AbortSignal
}

/** What would be done, for a person to decide. */
export interface PendingCall {
  tool_id: number
  tool_name: string
  method: string
  url: string
  tool_args: Record<string, unknown>
}

export interface ToolResult {
  /** For the model; what comes from elsewhere is data, and the chat fences it. */
  text: string
  /** What an answer may cite; the chat numbers them and gives their texts to the model beside `text`. */
  passages: readonly Passage[]
  /** The call failed, and `text` says why in words that a model and a person understand. */
  isError: boolean
}

/** One thing that a model can call. A tool made of an OpenAPI definition has one for each operation. */
export interface Callable {
  /** Unique among those of a chat; what a model writes. */
  name: string
  description: string
  /** JSON Schema of an object. */
  parameters: Readonly<Record<string, unknown>>
  /** Arguments that do not fit the schema are an `isError` result that names the field, as is every failure; rejects only with the signal's reason. */
  call(args: Record<string, unknown>, run: ToolRun): Promise<ToolResult>
}

/** A tool of the record that is switched on and at hand, ready to be called. */
export interface Tool {
  id: number
  name: string
  display_name: string
  /** Of the built-in ones, such as SearchTool. */
  in_code_tool_id: string | null
  callables: readonly Callable[]
}
