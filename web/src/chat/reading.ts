// Reads an answer, while it is given, into what is known of its conversation; also while another page is shown.
import type { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../src/client/api.ts'
import { getChatChatSessionChatSessionIdResumeStream } from '../../../src/client/operations.ts'
import type { ChatStreamLine, Packet } from '../../../src/client/schemas.ts'
import { api } from '../api.ts'
import { addPacket } from './answer.ts'
import { chatKey } from './chat-query.ts'
import { type Conversation, withAnswer, withEnd, withIds, withoutPending } from './conversation.ts'
import { readStream } from './read-stream.ts'

/** At most so often is the page drawn anew while an answer comes. */
const DRAW_MS = 40
/** Where the connection breaks: at once, since the service waits less than a second before it ends the answer. */
const WAITS_MS = [0, 300, 1_000, 3_000, 8_000]
const RELOAD_MS = 1_000
const LOST = 'The connection was lost before the answer was whole.'

/** The answers that this page reads at the moment, by conversation. */
const readings = new Map<string | null, Reading>()
export const readingOf = (id: string | null): Reading | undefined => readings.get(id)

interface Place {
  queries: QueryClient
  /** Null until the service has given it one. */
  id: string | null
  /** A new conversation has its id. */
  onCreated: (id: string) => void
}

export class Reading {
  readonly #place: Place
  readonly #control = new AbortController()
  #waiting: Packet[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #isOver = false

  constructor(place: Place) {
    this.#place = place
    readings.set(place.id, this)
  }

  get signal(): AbortSignal {
    return this.#control.signal
  }

  /** Nothing more is read; the service ends an answer that nobody reads. */
  letGo(): void {
    this.#control.abort()
    this.#end(null)
  }

  /** The service did not take the question. */
  refused(): void {
    this.#forget()
    this.#change(withoutPending)
  }

  /** Until the answer is whole, or cannot be had. Null: begins behind the packets that are there. */
  async read(first: Response | null): Promise<void> {
    let stream = first
    for (let tries = 0; !this.#isOver; tries += 1) {
      if (await this.#readSome(stream)) tries = 0
      this.#draw()
      if (this.#isOver) return
      const waitMs = WAITS_MS[tries]
      if (waitMs === undefined) return this.#end(LOST)
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      if (!this.#isOver) stream = await this.#reopened()
    }
  }

  /** Whether anything of the answer came. */
  async #readSome(stream: Response | null): Promise<boolean> {
    if (stream === null || stream.body === null) return false
    let isSome = false
    try {
      for await (const line of readStream<ChatStreamLine>(stream.body)) {
        isSome ||= 'placement' in line
        this.#take(line)
        if (this.#isOver) return true
      }
    } catch {
      // The connection broke, or what came is no answer of ours: both are asked for again.
    }
    return isSome
  }

  #take(line: ChatStreamLine): void {
    if ('placement' in line) {
      this.#waiting.push(line)
      this.#timer ??= setTimeout(() => this.#draw(), DRAW_MS)
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
    const { queries, onCreated } = this.#place
    const conversation = queries.getQueryData<Conversation>(chatKey(null))
    if (conversation === undefined) {
      this.letGo()
      return
    }
    queries.setQueryData<Conversation>(chatKey(id), { ...conversation, id })
    readings.delete(null)
    readings.set(id, this)
    this.#place.id = id
    onCreated(id)
    void queries.invalidateQueries({ queryKey: ['chats'] })
    queries.removeQueries({ queryKey: chatKey(null) })
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
    void this.#place.queries.invalidateQueries({ queryKey: ['chats'] })
  }

  #forget(): void {
    this.#isOver = true
    readings.delete(this.#place.id)
  }

  /** What is not known any longer belongs to somebody who has signed out. */
  #change(change: (conversation: Conversation) => Conversation): void {
    const { queries, id } = this.#place
    const changed = queries.setQueryData<Conversation>(chatKey(id), (it) => it && change(it))
    if (changed !== undefined) return
    this.#control.abort()
    this.#forget()
  }

  /** Null where nobody answers. */
  async #reopened(): Promise<Response | null> {
    const { queries, id } = this.#place
    const conversation = queries.getQueryData<Conversation>(chatKey(id))
    const message = conversation?.messages.find((it) => it.id === conversation.running?.message)
    if (id === null || message?.type !== 'assistant') {
      this.refused()
      return null
    }
    try {
      const cursor = message.answer.packets
      return await getChatChatSessionChatSessionIdResumeStream(api, {
        chat_session_id: id,
        cursor,
        signal: this.signal,
      })
    } catch (error) {
      // There is no such answer any more, but perhaps it is whole by now.
      if (error instanceof ApiError) await this.#reload()
      return null
    }
  }

  async #reload(): Promise<void> {
    // What has only just been broken off may be written down as going on for some seconds.
    await new Promise((resolve) => setTimeout(resolve, RELOAD_MS))
    this.#end(null)
    await this.#place.queries.invalidateQueries({ queryKey: chatKey(this.#place.id) })
  }
}
