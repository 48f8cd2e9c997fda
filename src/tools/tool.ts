import type { PacketObject } from '../domain/chat/packet.ts'
import type { Passage } from '../domain/chat/passage.ts'
import type { Filters } from '../domain/search/query.ts'
import type { Subject } from '../domain/subject.ts'

/** The person for whom a tool runs, and the ways to reach that person. */
export interface ToolRun {
  subject: Subject
  /** The filters of the persona and of the question. */
  filters: Filters
  /** The text of the question. */
  question: string
  /** Headers that the client passes on to remote tool servers. */
  remoteHeaders: Readonly<Record<string, string>>
  /** Sends a packet to the person. */
  emit(packet: PacketObject): void
  /** Asks the person to confirm a call; false if there is no answer in time or no one who can answer. */
  confirm(call: PendingCall): Promise<boolean>
  signal: AbortSignal
}

/** A call that waits for confirmation. */
export interface PendingCall {
  tool_id: number
  tool_name: string
  method: string
  url: string
  tool_args: Record<string, unknown>
  /** Asks whether the tool may receive a token that acts for the person. A positive answer is stored. */
  passes_token?: boolean
}

export interface ToolResult {
  /** For the model. The chat marks text from other systems as data. */
  text: string
  /** Passages that an answer may cite. The chat numbers them and gives their texts to the model after `text`. */
  passages: readonly Passage[]
  /** If nothing matches, the pages that come nearest: links for the person, never evidence. */
  closest?: readonly { title: string; link: string | null }[]
  /** True if the passages were ranked by their meaning too, so that they may answer in other words than the question. */
  isByMeaning?: boolean
  /** The call failed, and `text` gives the reason for the model and the person. */
  isError: boolean
}

/** A function that a model can call. A tool with an OpenAPI definition has one for each operation. */
export interface Callable {
  /** The name that the model uses; unique within a chat. */
  name: string
  description: string
  /** JSON Schema of an object. */
  parameters: Readonly<Record<string, unknown>>
  /** Invalid arguments and failures are `isError` results. Rejects only with the reason of the signal. */
  call(args: Record<string, unknown>, run: ToolRun): Promise<ToolResult>
}

/** An enabled tool that is ready to be called. */
export interface Tool {
  id: number
  name: string
  display_name: string
  /** The id of a built-in tool, such as SearchTool; otherwise null. */
  in_code_tool_id: string | null
  callables: readonly Callable[]
}
