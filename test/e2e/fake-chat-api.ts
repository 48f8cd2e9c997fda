// Serves the pages with the real content security policy, and implements the chat API from a script. Used for answers that
// no real model and no real document can be made to produce.
import { randomUUID } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { after } from 'node:test'
import fastify from 'fastify'
import { addPanelRoutes, readPanel } from '../../src/api/http/panel.ts'
import type { PacketObject } from '../../src/domain/chat/packet.ts'
import { createSearchDoc, type SearchDoc } from '../../src/domain/chat/search-doc.ts'

/** Yields packets, optionally with their step. The stop packet is added. */
export type Script = (asked: Asked) => AsyncIterable<Said> | Iterable<Said>
export type Said = PacketObject | { step: number; obj: PacketObject } | typeof CUT
/** Ends the stream early, as a proxy might. The packets after it are sent on resume. */
export const CUT = { cut: true } as const

interface Asked {
  question: string
  body: Record<string, unknown>
  /** Resolves when the user has decided. */
  decision: (confirmation_id: string) => Promise<boolean>
  stopped: AbortSignal
}

interface Message {
  message_id: number
  parent_message: number | null
  latest_child_message: number | null
  message_type: 'user' | 'assistant'
  message: string
  time_sent: string
  files: unknown[]
  sources: string[]
  status: 'running' | 'done' | 'stopped'
  error: string | null
  feedback: { is_positive: boolean | null; feedback_text: string | null } | null
  packets: object[]
}

interface Session {
  id: string
  name: string | null
  time_updated: string
  shared_status: 'public' | 'private'
  messages: Message[]
}

export interface FakeChatApi {
  url: string
  key: null
  /** The requests received, as `POST /chat/…`, with their bodies. */
  calls: { call: string; body: unknown }[]
}

const PERSONA = {
  id: 0,
  name: 'Pharos',
  description: 'Answers from what you may read.',
  starter_messages: [{ name: 'What is new this week?', message: 'What was changed in the last 7 days?' }],
}

export async function startFakeChatApi(script: Script, personas: object[] = [PERSONA]): Promise<FakeChatApi> {
  const app = fastify()
  after(() => app.close())
  addPanelRoutes(app, { panel: readPanel('web/dist'), frameAncestors: [] })
  const sessions = new Map<string, Session>()
  const decisions = new Map<string, (approve: boolean) => void>()
  const stops = new Map<string, AbortController>()
  const calls: FakeChatApi['calls'] = []
  let lastId = 0
  app.addHook('preHandler', async ({ method, url, body }) => {
    if (url.startsWith('/api/')) calls.push({ call: `${method} ${url.slice(4)}`, body })
  })
  const messages = () => [...sessions.values()].flatMap((it) => it.messages)
  const messageOf = (id: number) => messages().find((it) => it.message_id === id)!

  const insert = (session: Session, type: Message['message_type'], parent: number | null, text: string): Message => {
    lastId += 1
    const message: Message = {
      message_id: lastId,
      parent_message: parent,
      latest_child_message: null,
      message_type: type,
      message: text,
      time_sent: new Date().toISOString(),
      files: [],
      sources: [],
      status: type === 'user' ? 'done' : 'running',
      error: null,
      feedback: null,
      packets: [],
    }
    session.messages.push(message)
    if (parent !== null) messageOf(parent).latest_child_message = lastId
    return message
  }

  async function* answering(
    session: Session,
    answer: Message,
    asked: Omit<Asked, 'decision' | 'stopped'> & { cut: () => void },
  ) {
    const stop = new AbortController()
    stops.set(session.id, stop)
    const decision = (id: string) => new Promise<boolean>((resolve) => decisions.set(id, resolve))
    const packet = (said: Exclude<Said, typeof CUT>) => {
      const { step, obj } = 'obj' in said ? said : { step: 0, obj: said }
      const whole = { placement: { turn_index: step, tab_index: 0, sub_turn_index: null, model_index: null }, obj }
      answer.packets.push(whole)
      return whole
    }
    for await (const said of script({ ...asked, decision, stopped: stop.signal })) {
      if (stop.signal.aborted) break
      if ('cut' in said) {
        asked.cut()
        continue
      }
      yield packet(said)
    }
    answer.status = stop.signal.aborted ? 'stopped' : 'done'
    if ((answer.packets.at(-1) as { obj?: PacketObject } | undefined)?.obj?.type === 'stop') return
    yield packet({ type: 'stop', stop_reason: stop.signal.aborted ? 'user_cancelled' : null })
  }

  app.post('/api/chat/send-chat-message', (request, reply) => {
    const body = request.body as Record<string, unknown>
    const question = String(body.message)
    const isNew = body.chat_session_id === undefined
    const id = isNew ? randomUUID() : String(body.chat_session_id)
    const session: Session = sessions.get(id) ?? {
      id,
      name: question.slice(0, 60),
      time_updated: new Date().toISOString(),
      shared_status: 'private',
      messages: [],
    }
    sessions.set(id, session)
    const parent = typeof body.parent_message_id === 'number' ? body.parent_message_id : null
    const isAgain = parent !== null && messageOf(parent).message_type === 'user'
    const user = isAgain ? messageOf(parent) : insert(session, 'user', parent, question)
    if (!isAgain) user.files = body.file_descriptors as unknown[]
    const answer = insert(session, 'assistant', user.message_id, '')
    const out = new PassThrough()
    const write = (line: object) => !out.writableEnded && out.write(`${JSON.stringify(line)}\n`)
    if (isNew) write({ chat_session_id: id, incognito: false })
    write({ user_message_id: user.message_id, reserved_assistant_message_id: answer.message_id })
    void (async () => {
      for await (const line of answering(session, answer, { question, body, cut: () => out.end() })) write(line)
      out.end()
    })()
    return reply.type('text/event-stream').send(out)
  })
  app.get('/api/chat/chat-session/:id/resume-stream', (request, reply) => {
    const { id } = request.params as { id: string }
    const { cursor } = request.query as { cursor: string }
    const answer = sessions.get(id)?.messages.findLast((it) => it.message_type === 'assistant')
    if (answer?.status !== 'running') return reply.code(404).send({ error_code: 'X', detail: 'Nothing runs.' })
    const out = new PassThrough()
    let sent = Number(cursor)
    const timer = setInterval(() => {
      for (const it of answer.packets.slice(sent)) out.write(`${JSON.stringify(it)}\n`)
      sent = Math.max(sent, answer.packets.length)
      if (answer.status === 'running') return
      clearInterval(timer)
      out.end()
    }, 20)
    return reply.type('text/event-stream').send(out)
  })
  app.get('/api/chat/get-chat-session/:id', (request, reply) => {
    const session = sessions.get((request.params as { id: string }).id)
    if (session === undefined) {
      return reply.code(404).send({ error_code: 'CHAT_NOT_FOUND', detail: 'Chat session not found' })
    }
    const { id, name, shared_status, messages: all } = session
    return {
      chat_session_id: id,
      description: name,
      persona_id: 0,
      persona_name: 'Pharos',
      shared_status,
      is_owner: true,
      latest_child_message: null,
      messages: all.map(({ packets: _, ...it }) => it),
      packets: all.filter((it) => it.message_type === 'assistant').map((it) => it.packets),
    }
  })
  app.get('/api/chat/get-user-chat-sessions', () => ({ sessions: [...sessions.values()].reverse(), has_more: false }))
  app.get('/api/chat/search', (request) => {
    const { query } = request.query as { query: string }
    const chats = [...sessions.values()].filter((it) => it.name?.toLowerCase().includes(query.toLowerCase()))
    return { groups: chats.length === 0 ? [] : [{ title: 'Today', chats }], has_more: false, next_page: null }
  })
  app.put('/api/chat/rename-chat-session', (request) => {
    const { chat_session_id, name } = request.body as { chat_session_id: string; name: string }
    sessions.get(chat_session_id)!.name = name
    return { new_name: name }
  })
  app.patch('/api/chat/chat-session/:id', (request, reply) => {
    const { sharing_status } = request.body as { sharing_status: 'public' | 'private' }
    sessions.get((request.params as { id: string }).id)!.shared_status = sharing_status
    return reply.send('null')
  })
  app.delete('/api/chat/delete-chat-session/:id', (request, reply) => {
    sessions.delete((request.params as { id: string }).id)
    return reply.send('null')
  })
  app.post('/api/chat/stop-chat-session/:id', (request) => {
    stops.get((request.params as { id: string }).id)?.abort()
    return { message: 'Chat session stopped' }
  })
  app.post('/api/chat/confirm-tool-call', (request, reply) => {
    const { confirmation_id, approve } = request.body as { confirmation_id: string; approve: boolean }
    decisions.get(confirmation_id)?.(approve)
    return reply.send('null')
  })
  app.put('/api/chat/set-message-as-latest', (_, reply) => reply.send('null'))
  app.put('/api/chat/set-preferred-response', (_, reply) => reply.send('null'))
  // Projects and chats of others have the names of the personas, which may be hostile.
  const named = Object.values(personas as { id: number; name: string }[])
  app.get('/api/user/projects', () => named.map(({ id, name }) => ({ id: id + 1, name, description: name })))
  app.get('/api/chat/shared-sessions', () => ({
    sessions: named.map(({ id, name }) => ({ id: `shared-${id}`, name, time_updated: new Date().toISOString() })),
  }))
  app.post('/api/user/projects/file/statuses', () => [])
  app.post('/api/chat/create-chat-message-feedback', (_, reply) => reply.send('null'))
  app.delete('/api/chat/remove-chat-message-feedback', (_, reply) => reply.send('null'))
  app.get('/api/persona', () => personas)
  app.get('/api/me', () => ({
    id: 'u',
    email: 'ann@example.com',
    role: 'basic',
    effective_permissions: ['chat', 'search', 'files'],
    preferences: { theme_preference: null, language: null, time_zone: null, density: null },
  }))
  app.get('/api/search/sources', () => ({ sources: [] }))
  app.get('/api/health/ready', () => ({ data: { pending: 0 } }))
  app.addContentTypeParser('multipart/form-data', (_, payload, done) => {
    payload.resume()
    payload.on('end', () => done(null, {}))
  })
  app.post('/api/user/file/upload', () => {
    const file = { id: 'f1', file_id: 'f1', name: 'notes.txt', chat_file_type: 'plain_text' }
    return { id: 'f1', file_id: 'f1', user_files: [file], rejected_files: [] }
  })
  return { url: await app.listen({ host: '127.0.0.1', port: 0 }), key: null, calls }
}

/** A document with the given fields and defaults for the rest. */
export const documentOf = (fields: Partial<SearchDoc> & { document_id: string }): SearchDoc =>
  createSearchDoc({
    semantic_identifier: fields.document_id,
    link: `https://wiki.example.com/${fields.document_id}`,
    blurb: 'Every employee has 30 days of annual leave in a year.',
    source_type: 'web',
    score: 0.9,
    updated_at: '2026-11-19T09:00:00Z',
    ...fields,
  })
