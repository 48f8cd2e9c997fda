// Reads a running answer into the cached conversation, also while another page is shown.
import type { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../../src/client/api.ts'
import { resumeChatStream } from '../../../../src/client/operations.ts'
import type { ChatStreamLine, Packet } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'
import { addPacket } from './answer.ts'
import { chatKey } from './chat-query.ts'
import { type Conversation, withAnswer, withEnd, withIds, withoutPending } from './conversation.ts'
import { readJsonLines } from './read-json-lines.ts'

/** The minimum time between two renders of a running answer. */
const RENDER_INTERVAL_MS = 40
/** The first reconnect is immediate: the service ends an answer that nobody reads in less than a second. */
const RECONNECT_DELAYS_MS = [0, 300, 1_000, 3_000, 8_000]
const RELOAD_MS = 1_000

/** The answers that this page is reading, by conversation id. */
const answerStreams = new Map<string | null, AnswerStream>()
export const findAnswerStream = (id: string | null): AnswerStream | undefined => answerStreams.get(id)

interface AnswerStreamTarget {
  queryClient: QueryClient
  /** Null until the service assigns one. */
  id: string | null
  /** Called when a new conversation receives its id. */
  onCreated: (id: string) => void
}

export class AnswerStream {
  readonly #place: AnswerStreamTarget
  readonly #control = new AbortController()
  #waiting: Packet[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #isOver = false

  constructor(target: AnswerStreamTarget) {
    this.#place = target
    answerStreams.set(target.id, this)
  }

  get signal(): AbortSignal {
    return this.#control.signal
  }

  /** Stops reading. The service then ends the answer. */
  abort(): void {
    this.#control.abort()
    this.#end(null)
  }

  /** Removes a question that the service has rejected. */
  discardQuestion(): void {
    this.#forget()
    this.#change(withoutPending)
  }

  /** Reads until the answer is complete or lost. Null resumes after the packets that are already known. */
  async read(first: Response | null): Promise<void> {
    let stream = first
    for (let tries = 0; !this.#isOver; tries += 1) {
      if (await this.#readSome(stream)) tries = 0
      this.#draw()
      if (this.#isOver) return
      const waitMs = RECONNECT_DELAYS_MS[tries]
      if (waitMs === undefined) return this.#end(textsOf('chat.answer')('lost'))
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      if (!this.#isOver) stream = await this.#reopened()
    }
  }

  /** Returns whether any packet arrived. */
  async #readSome(stream: Response | null): Promise<boolean> {
    if (stream === null || stream.body === null) return false
    let isSome = false
    try {
      for await (const line of readJsonLines<ChatStreamLine>(stream.body)) {
        isSome ||= 'placement' in line
        this.#take(line)
        if (this.#isOver) return true
      }
    } catch {
      // The connection broke or the response was invalid. The caller reconnects in both cases.
    }
    return isSome
  }

  #take(line: ChatStreamLine): void {
    if ('placement' in line) {
      this.#waiting.push(line)
      this.#timer ??= setTimeout(() => this.#draw(), RENDER_INTERVAL_MS)
      if (line.obj.type === 'stop') this.#end(null)
      return
    }
    this.#draw()
    if ('error' in line) this.#end(line.error)
    else if ('user_message_id' in line) {
      this.#change((it) => withIds(it, line.user_message_id, line.reserved_assistant_message_id))
    } else if ('chat_session_id' in line && this.#place.id === null) this.#name(line.chat_session_id)
  }

  #name(id: string): void {
    const { queryClient, onCreated } = this.#place
    const conversation = queryClient.getQueryData<Conversation>(chatKey(null))
    if (conversation === undefined) {
      this.abort()
      return
    }
    queryClient.setQueryData<Conversation>(chatKey(id), { ...conversation, id })
    answerStreams.delete(null)
    answerStreams.set(id, this)
    this.#place.id = id
    onCreated(id)
    void queryClient.invalidateQueries({ queryKey: ['chats'] })
    queryClient.removeQueries({ queryKey: chatKey(null) })
  }

  #draw(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const packets = this.#waiting
    this.#waiting = []
    if (packets.length === 0) return
    this.#change((it) => withAnswer(it, it.running?.message ?? 0, (answer) => packets.reduce(addPacket, answer)))
  }

  #end(error: string | null): void {
    if (this.#isOver) return
    this.#draw()
    this.#forget()
    this.#change((it) => withEnd(it, error))
    void this.#place.queryClient.invalidateQueries({ queryKey: ['chats'] })
  }

  #forget(): void {
    this.#isOver = true
    answerStreams.delete(this.#place.id)
  }

  /** A conversation that is no longer cached belongs to a user who has signed out. */
  #change(change: (conversation: Conversation) => Conversation): void {
    const { queryClient, id } = this.#place
    const changed = queryClient.setQueryData<Conversation>(chatKey(id), (it) => it && change(it))
    if (changed !== undefined) return
    this.#control.abort()
    this.#forget()
  }

  /** Null when the service does not respond. */
  async #reopened(): Promise<Response | null> {
    const { queryClient, id } = this.#place
    const conversation = queryClient.getQueryData<Conversation>(chatKey(id))
    const message = conversation?.messages.find((it) => it.id === conversation.running?.message)
    if (id === null || message?.type !== 'assistant') {
      this.discardQuestion()
      return null
    }
    try {
      const cursor = message.answer.packets
      return await resumeChatStream(api, {
        chat_session_id: id,
        cursor,
        signal: this.signal,
      })
    } catch (error) {
      // The stream no longer exists. The answer may be complete by now.
      if (error instanceof ApiError) await this.#reload()
      return null
    }
  }

  async #reload(): Promise<void> {
    // For a few seconds the service may still report an aborted answer as running.
    await new Promise((resolve) => setTimeout(resolve, RELOAD_MS))
    this.#end(null)
    await this.#place.queryClient.invalidateQueries({ queryKey: chatKey(this.#place.id) })
  }
}
