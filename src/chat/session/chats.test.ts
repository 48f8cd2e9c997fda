// Chats over a real database, with answers defined in this file.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import type { Packet, PacketObject } from '../../domain/chat/packet.ts'
import { rightsOfKey, type Subject } from '../../domain/subject.ts'
import { listChats } from '../../store/chats/chats.ts'
import { listMessages } from '../../store/chats/messages.ts'
import type { Database } from '../../store/database/database.ts'
import { openSqlite } from '../../store/sqlite/open-sqlite.ts'
import type { Answerer, ChatTurn } from '../answer/chat-turn.ts'
import {
  ANSWER_RUN_LIMITS,
  type ChatQuestion,
  type Chats,
  type EventReader,
  openChats,
  type StartedAnswer,
  type StartTurnRequest,
} from './chats.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-talk-'))
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const opened: Database[] = []
const talks: Chats[] = []
let db: Database
let talk: Chats
/** The turns received, and the answer to each. */
let turns: ChatTurn[] = []
let answer: Answerer
let time = 1_000_000
let ids = 0

const open = async (more: Partial<Parameters<typeof openChats>[0]> = {}) => {
  const opened = await openChats({
    db,
    secrets: { open: (it: string) => it, seal: (it: string) => it } as never,
    answer: (turn) => {
      turns.push(turn)
      return answer(turn)
    },
    chooseModel: async () => ({ model: null, reason: 'No language model is configured.' }),
    toolsFor: async () => [],
    blobs: { get: () => Promise.reject(new Error('no file has bytes')) },
    readFile: async (_, id) => ({ name: `${id}.txt`, text: `text of ${id}` }),
    filterReadable: async () => new Set(),
    limits: ANSWER_RUN_LIMITS,
    isOnlyProcess: true,
    randomId: () => `id-${++ids}`,
    logger: quiet,
    now: () => ++time,
    ...more,
  })
  talks.push(opened)
  return opened
}

beforeEach(async () => {
  turns = []
  answer = () => said('Yes.')
  db = await openSqlite({ path: join(folder, `${opened.length}.db`), failpoint: null, onFatal: assert.fail })
  opened.push(db)
  talk = await open()
})
after(async () => {
  for (const it of talks) await it.close()
  for (const it of opened) await it.close()
  rmSync(folder, { recursive: true })
})

const personOf = (email: string): Subject => ({
  api_key_id: 1,
  credential: { kind: 'key', kid: 'kid' },
  user_id: `user of ${email}`,
  person_id: null,
  usage_id: `user of ${email}`,
  email,
  groups: [],
  curated_groups: [],
  role: 'basic',
  rights: rightsOfKey('basic', null),
  scopes: null,
})
const ann = personOf('Ann@example.com')
const bob = personOf('bob@example.com')

const placement = { turn_index: 0, tab_index: 0, sub_turn_index: null, model_index: null }
const packet = (obj: PacketObject): Packet => ({ placement, obj })
const start = packet({ type: 'message_start', final_documents: null, pre_answer_processing_seconds: 0 })
const delta = (content: string) => packet({ type: 'message_delta', content })
const stop = packet({ type: 'stop', stop_reason: null })

async function* said(...texts: string[]): AsyncGenerator<Packet> {
  yield start
  for (const it of texts) yield delta(it)
  yield packet({ type: 'section_end' })
  yield stop
}

/** Emits the text, then nothing until the turn is aborted. */
const saidAndWaits = (text: string) =>
  async function* ({ signal }: ChatTurn): AsyncGenerator<Packet> {
    yield start
    yield delta(text)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    signal.throwIfAborted()
  }

const questionOf = (message: string, more: Partial<ChatQuestion> = {}): ChatQuestion => ({
  message,
  files: [],
  filters: {},
  allowed_tool_ids: null,
  forced_tool_id: null,
  modelOverride: null,
  temperature: null,
  include_citations: true,
  additional_context: null,
  remoteHeaders: {},
  ...more,
})
const askingOf = (message: string, more: Partial<StartTurnRequest> = {}): StartTurnRequest => ({
  session: { persona_id: 0, name: null, incognito: false, project_id: null },
  parent_message_id: -1,
  question: questionOf(message),
  isInteractive: true,
  ...more,
})
const inSession = (id: string, message: string, more: Partial<StartTurnRequest> = {}) =>
  askingOf(message, { session: { id }, ...more })

const forever = new AbortController().signal

// biome-ignore lint/suspicious/noExplicitAny: the assertions check its shape.
type StreamedLine = any

async function linesOf(reader: EventReader): Promise<StreamedLine[]> {
  const lines: StreamedLine[] = []
  for await (const some of reader) lines.push(...some.map((it) => JSON.parse(it.text)))
  return lines
}
const types = (lines: StreamedLine[]) => lines.map((it) => it.obj?.type ?? Object.keys(it)[0])
const wholeOf = (started: StartedAnswer) => started.readAll(forever)

/** Reads until a packet of that type arrives, without closing the reader. */
async function until(lines: AsyncIterator<readonly { text: string }[]>, type: string): Promise<void> {
  for (;;) {
    const { value, done } = await lines.next()
    assert.ok(!done, `the answer ended without ${type}`)
    if (value.some((it: { text: string }) => JSON.parse(it.text).obj?.type === type)) return
  }
}
const kept = async (id: string) => (await listMessages(db, id)).map((it) => [it.message_type, it.status, it.message])

test('a question in a new session yields its ids, then packets, stop last', async () => {
  const started = await talk.start(ann, askingOf('Is it so?'))
  const lines = await linesOf(started.read(forever))
  assert.deepEqual(types(lines), [
    'chat_session_id',
    'user_message_id',
    'message_start',
    'message_delta',
    'section_end',
    'stop',
  ])
  assert.deepEqual(lines.slice(0, 2), [
    { chat_session_id: started.chat_session_id, incognito: false },
    { user_message_id: started.message_id - 1, reserved_assistant_message_id: started.message_id },
  ])
  assert.deepEqual(lines.at(-1), stop)
})

test('the id of an existing session is not repeated', async () => {
  const { chat_session_id } = await wholeOf(await talk.start(ann, askingOf('One?')))
  const started = await talk.start(ann, inSession(chat_session_id, 'Two?'))
  assert.deepEqual(types(await linesOf(started.read(forever)))[0], 'user_message_id')
})

test('the complete answer has the same text, also for a late reader', async () => {
  answer = () => said('Yes', ', it', ' is.')
  const {
    answer: words,
    message_id,
    chat_session_id,
    incognito,
    error_msg,
  } = await wholeOf(await talk.start(ann, askingOf('Is it so?')))
  assert.deepEqual([words, incognito, error_msg], ['Yes, it is.', false, null])
  const { chat, messages } = await talk.view(ann, chat_session_id, 'own')
  assert.equal(chat.name, 'Is it so?')
  assert.deepEqual(
    messages.map((it) => [it.id, it.parent_id, it.message, it.status, types(it.packets)]),
    [
      [message_id - 1, null, 'Is it so?', 'done', []],
      [message_id, message_id - 1, 'Yes, it is.', 'done', ['message_start', 'message_delta', 'section_end']],
    ],
  )
})

test('the stop packet comes after the answer is stored', async () => {
  const started = await talk.start(ann, askingOf('Is it so?'))
  const lines = started.read(forever)[Symbol.asyncIterator]()
  await until(lines, 'stop')
  assert.deepEqual((await kept(started.chat_session_id)).at(-1), ['assistant', 'done', 'Yes.'])
})

test('token usage is stored with the answer', async () => {
  answer = async function* () {
    yield start
    yield delta('Yes.')
    yield packet({ type: 'token_usage', model: 'small', input_tokens: 7, output_tokens: 2 })
    yield packet({ type: 'token_usage', model: 'large', input_tokens: 10, output_tokens: 3 })
    yield stop
  }
  const { chat_session_id } = await wholeOf(await talk.start(ann, askingOf('?!')))
  const [, { model, input_tokens, output_tokens } = assert.fail()] = await listMessages(db, chat_session_id)
  assert.deepEqual([model, input_tokens, output_tokens], ['large', 17, 5])
})

test('a session answers one question at a time and rejects a second one', async () => {
  answer = saidAndWaits('Well')
  const started = await talk.start(ann, askingOf('One?'))
  const second = talk.start(ann, inSession(started.chat_session_id, 'Two?'))
  await assert.rejects(second, { code: 'SESSION_BUSY' })
  await talk.stop(ann, started.chat_session_id)
})

test('one of two simultaneous questions is answered', async () => {
  const { chat_session_id } = await wholeOf(await talk.start(ann, askingOf('One?')))
  answer = saidAndWaits('Well')
  const both = await Promise.allSettled([1, 2, 3].map((it) => talk.start(ann, inSession(chat_session_id, `${it}?`))))
  assert.equal(both.filter((it) => it.status === 'fulfilled').length, 1)
  await talk.stop(ann, chat_session_id)
})

test('stopping ends the answer, keeps its text, and records that the user stopped it', async () => {
  answer = saidAndWaits('It begins')
  const started = await talk.start(ann, askingOf('Go on?'))
  const reader = started.read(forever)
  const lines = linesOf(reader)
  await until(started.read(forever)[Symbol.asyncIterator](), 'message_delta')
  await talk.stop(ann, started.chat_session_id)
  assert.deepEqual((await lines).at(-1).obj, { type: 'stop', stop_reason: 'user_cancelled' })
  assert.equal(turns[0]?.signal.aborted, true)
  assert.deepEqual((await kept(started.chat_session_id)).at(-1), ['assistant', 'stopped', 'It begins'])
})

test('an answer that ignores its signal is abandoned', async () => {
  answer = async function* () {
    yield start
    await new Promise(() => {})
  }
  const started = await talk.start(ann, askingOf('Are you deaf?'))
  await talk.stop(ann, started.chat_session_id)
  assert.deepEqual((await kept(started.chat_session_id)).at(-1), ['assistant', 'stopped', ''])
})

test("nobody can stop, read, resume or confirm in another user's session", async () => {
  answer = saidAndWaits('Secret')
  const { chat_session_id, message_id } = await talk.start(ann, askingOf('Mine?'))
  const none = 'id of no session'
  for (const id of [chat_session_id, none]) {
    const refused = { code: 'SESSION_NOT_FOUND', message: 'Chat session not found.' }
    await assert.rejects(talk.stop(bob, id), refused)
    await assert.rejects(talk.resume(bob, id, 0, forever), refused)
    await assert.rejects(talk.decide(bob, id, 'x', true), refused)
    await assert.rejects(talk.view(bob, id, 'own'), refused)
    await assert.rejects(talk.view(bob, id, 'shared'), refused)
    await assert.rejects(talk.start(bob, inSession(id, 'Yours?')), refused)
  }
  await assert.rejects(talk.start(bob, inSession(chat_session_id, 'x', { parent_message_id: message_id })))
  assert.equal(turns[0]?.signal.aborted, false)
  await talk.stop(ann, chat_session_id)
})

test('all keys of a person share the same chats', async () => {
  const { chat_session_id } = await wholeOf(await talk.start(ann, askingOf('Mine?')))
  const otherKey: Subject = {
    ...ann,
    api_key_id: 2,
    usage_id: 'another key',
    credential: { kind: 'key', kid: 'other' },
  }
  assert.equal((await talk.view(otherKey, chat_session_id, 'own')).isOwner, true)
  const noPerson = { ...ann, user_id: 'another key', email: null }
  await assert.rejects(talk.view(noPerson, chat_session_id, 'own'), { code: 'SESSION_NOT_FOUND' })
})

test('an answer without readers ends within a second', async () => {
  answer = saidAndWaits('Hello')
  const client = new AbortController()
  const started = await talk.start(ann, askingOf('Who is there?'))
  const lines = started.read(client.signal)[Symbol.asyncIterator]()
  await until(lines, 'message_delta')
  const left = performance.now()
  client.abort()
  await new Promise((resolve) => turns[0]!.signal.addEventListener('abort', resolve))
  const waited = performance.now() - left
  assert.ok(waited >= ANSWER_RUN_LIMITS.abandonAfterMs - 5, `given up after ${waited} ms`)
  assert.ok(ANSWER_RUN_LIMITS.abandonAfterMs <= 800)
  await talk.stop(ann, started.chat_session_id)
  assert.deepEqual((await kept(started.chat_session_id)).at(-1), ['assistant', 'stopped', 'Hello'])
})

test('a client that reconnects in time resumes at its cursor', async () => {
  let goOn = () => {}
  answer = async function* () {
    yield start
    yield delta('one ')
    await new Promise<void>((resolve) => {
      goOn = resolve
    })
    yield delta('two')
    yield stop
  }
  const client = new AbortController()
  const started = await talk.start(ann, askingOf('Count?'))
  await until(started.read(client.signal)[Symbol.asyncIterator](), 'message_delta')
  client.abort()
  const again = await talk.resume(ann, started.chat_session_id, 2, forever)
  goOn()
  const lines = await linesOf(again)
  assert.deepEqual(types(lines), ['chat_session_id', 'user_message_id', 'message_delta', 'stop'])
  assert.equal(lines[2].obj.content, 'two')
  assert.equal(turns[0]?.signal.aborted, false)
})

test('an answer that just ended can be read from any cursor; later it is not found', async () => {
  answer = () => said('a', 'b', 'c')
  const { chat_session_id } = await wholeOf(await talk.start(ann, askingOf('Letters?')))
  for (let cursor = 0; cursor <= 6; cursor++) {
    const lines = await linesOf(await talk.resume(ann, chat_session_id, cursor, forever))
    assert.equal(lines.length, 2 + 6 - cursor)
  }
  const later = await open()
  await assert.rejects(later.resume(ann, chat_session_id, 0, forever), { code: 'NOTHING_ANSWERED' })
})

test('an internal error yields a line, a packet and the end, and the text so far stays', async () => {
  answer = async function* () {
    yield start
    yield delta('So far')
    throw new Error('a defect at /home/secret')
  }
  const started = await talk.start(ann, askingOf('Break?'))
  const lines = await linesOf(started.read(forever))
  assert.deepEqual(types(lines).slice(-4), ['message_delta', 'error', 'error', 'stop'])
  assert.deepEqual([lines.at(-3).error_code, lines.at(-3).is_retryable], ['INTERNAL_ERROR', true])
  assert.doesNotMatch(JSON.stringify(lines), /secret/)
  assert.deepEqual((await kept(started.chat_session_id)).at(-1), ['assistant', 'failed', 'So far'])
})

test('a failure before the first packet is reported, too', async () => {
  const failing = await open({ toolsFor: () => Promise.reject(new Error('no tools')) })
  const { answer: words, error_msg } = await wholeOf(await failing.start(ann, askingOf('Tools?')))
  assert.equal(words, '')
  assert.match(error_msg ?? '', /Internal error while answering/)
})

test('an endless answer is cut off at the maximum size', async () => {
  const short = await open({ limits: { ...ANSWER_RUN_LIMITS, maxBytes: 20_000 } })
  answer = async function* () {
    for (;;) yield delta('and so on ')
  }
  const started = await short.start(ann, askingOf('For ever?'))
  const lines = await linesOf(started.read(forever))
  assert.deepEqual(types(lines).slice(-2), ['error', 'stop'])
  assert.match(lines.at(-2).obj.message, /maximum size/)
  assert.ok(JSON.stringify(lines).length < 40_000)
  assert.equal((await kept(started.chat_session_id)).at(-1)?.[1], 'failed')
})

test('an answer that exceeds the time limit ends with a message', async () => {
  const hasty = await open({ limits: { ...ANSWER_RUN_LIMITS, maxDurationMs: 20 } })
  answer = saidAndWaits('Hm')
  const lines = await linesOf((await hasty.start(ann, askingOf('Slow?'))).read(forever))
  assert.match(lines.at(-2).obj.message, /exceeded the time limit/)
})

test('shutdown ends answers with a message and starts none', async () => {
  answer = saidAndWaits('Hello')
  const started = await talk.start(ann, askingOf('Who?'))
  const lines = linesOf(started.read(forever))
  await until(started.read(forever)[Symbol.asyncIterator](), 'message_delta')
  await talk.close()
  assert.match((await lines).at(-2).obj.message, /service shut down/)
  assert.deepEqual((await lines).at(-1), stop)
  assert.deepEqual((await kept(started.chat_session_id)).at(-1), ['assistant', 'failed', 'Hello'])
  await assert.rejects(talk.start(ann, askingOf('Still?')), { code: 'SHUTTING_DOWN' })
})

test('an answer interrupted by a crash gets a message, and the session can continue', async () => {
  answer = saidAndWaits('Half a')
  const { chat_session_id } = await talk.start(ann, askingOf('Crash?'))
  // Another process opens the same database.
  const next = await open()
  const { messages } = await next.view(ann, chat_session_id, 'own')
  assert.equal(messages.length, 2)
  assert.deepEqual([messages[1]?.status, messages[1]?.message, messages[1]?.packets], ['failed', '', []])
  assert.match(messages[1]?.error ?? '', /The service stopped during/)
  answer = () => said('Again.')
  assert.equal((await wholeOf(await next.start(ann, inSession(chat_session_id, 'Again?')))).answer, 'Again.')
})

test('with other processes running, an answer counts as interrupted when its lease expires', async () => {
  answer = saidAndWaits('Half a')
  const { chat_session_id } = await talk.start(ann, askingOf('Crash?'))
  const other = await open({ isOnlyProcess: false })
  await assert.rejects(other.start(ann, inSession(chat_session_id, 'Now?')), { code: 'SESSION_BUSY' })
  time += 60_000
  assert.equal((await other.view(ann, chat_session_id, 'own')).messages[1]?.status, 'failed')
  answer = () => said('Yes.')
  assert.equal((await wholeOf(await other.start(ann, inSession(chat_session_id, 'Now?')))).answer, 'Yes.')
})

const confirming = async function* ({ confirm }: ChatTurn): AsyncGenerator<Packet> {
  const call = { tool_id: 3, tool_name: 'tickets', method: 'POST', url: 'https://t.example', tool_args: {} }
  yield packet({ type: 'custom_tool_confirmation', confirmation_id: 'c1', ...call })
  yield delta((await confirm(call, 'c1')) ? 'done' : 'left')
  yield stop
}

for (const approve of [true, false]) {
  test(`a tool may ${approve ? '' : 'not '}write after the user ${approve ? 'approves' : 'declines'}`, async () => {
    answer = confirming
    const started = await talk.start(ann, askingOf('Write?'))
    const { chat_session_id: id } = started
    const whole = started.readAll(forever)
    await until(started.read(forever)[Symbol.asyncIterator](), 'custom_tool_confirmation')
    await assert.rejects(talk.decide(ann, id, 'c2', true), { code: 'CONFIRMATION_NOT_FOUND' })
    await assert.rejects(talk.decide(bob, id, 'c1', true), { code: 'SESSION_NOT_FOUND' })
    await talk.decide(ann, id, 'c1', approve)
    assert.equal((await whole).answer, approve ? 'done' : 'left')
    await assert.rejects(talk.decide(ann, id, 'c1', true), { code: 'CONFIRMATION_NOT_FOUND' })
  })
}

test('a confirmation that is not shown, or not answered in time, is declined', async () => {
  answer = confirming
  assert.equal((await wholeOf(await talk.start(ann, askingOf('Write?', { isInteractive: false })))).answer, 'left')
  const hasty = await open({ limits: { ...ANSWER_RUN_LIMITS, confirmTimeoutMs: 10 } })
  assert.equal((await wholeOf(await hasty.start(ann, askingOf('Write?')))).answer, 'left')
})

test('the turn contains the earlier messages of the branch', async () => {
  answer = () => said('A1')
  const first = await wholeOf(await talk.start(ann, askingOf('Q1')))
  const { chat_session_id: id } = first
  answer = () => said('A2')
  const second = await wholeOf(await talk.start(ann, inSession(id, 'Q2')))
  const history = () => turns.at(-1)?.history.map((it) => it.content)
  assert.deepEqual(history(), ['Q1', 'A1'])

  // The second question, edited: it follows the first answer again.
  await wholeOf(await talk.start(ann, inSession(id, 'Q2 edited', { parent_message_id: first.message_id })))
  assert.deepEqual(history(), ['Q1', 'A1'])
  await wholeOf(await talk.start(ann, inSession(id, 'Q3')))
  assert.deepEqual(history(), ['Q1', 'A1', 'Q2 edited', 'A2'])

  // A question at the root.
  await wholeOf(await talk.start(ann, inSession(id, 'Q0', { parent_message_id: null })))
  assert.deepEqual(history(), [])

  // The second question is answered again: its own text counts.
  const again = await talk.start(ann, inSession(id, 'other words', { parent_message_id: second.message_id - 1 }))
  const lines = await linesOf(again.read(forever))
  assert.equal(lines[0].user_message_id, second.message_id - 1)
  assert.deepEqual([turns.at(-1)?.message, history()], ['Q2', ['Q1', 'A1']])
  const answers = (await listMessages(db, id)).filter((it) => it.parent_id === second.message_id - 1)
  assert.equal(answers.length, 2)
})

test('a message of another session cannot be the parent', async () => {
  const other = await wholeOf(await talk.start(ann, askingOf('Other?')))
  const { chat_session_id } = await wholeOf(await talk.start(ann, askingOf('This?')))
  const asked = talk.start(ann, inSession(chat_session_id, 'x', { parent_message_id: other.message_id }))
  await assert.rejects(asked, { code: 'MESSAGE_NOT_FOUND' })
})

const fileOf = (id: string, user_id: string) =>
  db
    .insertInto('user_file')
    .values({ id, name: `${id}.txt`, file_type: 'text/plain', size: 1, blob: id, user_id, created_at: 0 })
    .execute()

test("files of the question and of earlier ones are read; another user's file is not found", async () => {
  await fileOf('mine', ann.user_id)
  await fileOf('yours', bob.user_id)
  const files = [{ id: 'mine', type: 'document', name: null }]
  const { chat_session_id } = await wholeOf(
    await talk.start(ann, askingOf('Read?', { question: questionOf('Read?', { files }) })),
  )
  assert.deepEqual(turns.at(-1)?.files, [{ id: 'mine', name: 'mine.txt', text: 'text of mine' }])
  await wholeOf(await talk.start(ann, inSession(chat_session_id, 'And?')))
  assert.deepEqual(turns.at(-1)?.files.length, 1)
  for (const id of ['yours', 'none']) {
    const question = questionOf('Read?', { files: [{ id, type: 'document', name: null }] })
    await assert.rejects(talk.start(ann, askingOf('Read?', { question })), { code: 'FILE_NOT_FOUND' })
  }
})

test('an unreadable file is reported, and the question is answered', async () => {
  await fileOf('mine', ann.user_id)
  const blind = await open({ readFile: () => Promise.reject(new Error('a defect at /home/secret')) })
  const question = questionOf('Read?', { files: [{ id: 'mine', type: 'document', name: null }] })
  assert.equal((await wholeOf(await blind.start(ann, askingOf('Read?', { question })))).answer, 'Yes.')
  assert.match(turns.at(-1)?.files[0]?.text ?? '', /^\(This file could not be read: [^/]*\)$/)
})

test('a file without text says so to the model', async () => {
  await fileOf('mine', ann.user_id)
  const blank = await open({ readFile: async () => ({ name: 'scan.png', text: ' ' }) })
  const question = questionOf('Read?', { files: [{ id: 'mine', type: 'image', name: null }] })
  await wholeOf(await blank.start(ann, askingOf('Read?', { question })))
  assert.match(turns.at(-1)?.files[0]?.text ?? '', /^\(No text could be read/)
})

test('a persona limits the search, and a tool that it lacks cannot be forced', async () => {
  await db.updateTable('persona').set({ search_start_date: 500 }).where('id', '=', 0).execute()
  const question = questionOf('?!', { filters: { updated_from: 100, source_types: ['web'] } })
  await wholeOf(await talk.start(ann, askingOf('?!', { question })))
  assert.deepEqual(turns.at(-1)?.filters, { updated_from: 500, source_types: ['web'] })
  const forced = askingOf('?!', { question: questionOf('?!', { forced_tool_id: 999 }) })
  await assert.rejects(talk.start(ann, forced), { code: 'TOOL_NOT_FOUND' })
  const closed = askingOf('?!', { session: { persona_id: 999, name: null, incognito: false, project_id: null } })
  await assert.rejects(talk.start(ann, closed), { code: 'PERSONA_NOT_FOUND' })
})

test('model and temperature of the session apply unless the question sets them', async () => {
  const choices: unknown[] = []
  const picking = await open({
    chooseModel: async ({ override, chatModel }) => {
      choices.push([override, chatModel])
      return { model: null, reason: null }
    },
  })
  const { chat_session_id } = await wholeOf(await picking.start(ann, askingOf('?!')))
  await db
    .updateTable('chat_session')
    .set({ overrides: JSON.stringify({ model: 'corp__openai__small', temperature: 0.5, reasoning_effort: null }) })
    .execute()
  await wholeOf(await picking.start(ann, inSession(chat_session_id, 'Two?')))
  assert.equal(turns.at(-1)?.temperature, 0.5)
  const own = { model_configuration_id: 3, model_provider: null, model_version: null }
  const question = questionOf('Three?', { modelOverride: own, temperature: 0 })
  await wholeOf(await picking.start(ann, inSession(chat_session_id, 'Three?', { question })))
  assert.equal(turns.at(-1)?.temperature, 0)
  const stored = 'corp__openai__small'
  assert.deepEqual(choices, [
    [null, null],
    [null, stored],
    [own, stored],
  ])
})

test('a silent stream sends heartbeats', async () => {
  const restless = await open({ limits: { ...ANSWER_RUN_LIMITS, heartbeatMs: 5 } })
  answer = saidAndWaits('Hm')
  const started = await restless.start(ann, askingOf('Slow?'))
  const lines = started.read(forever)[Symbol.asyncIterator]()
  await until(lines, 'chat_heartbeat')
  await until(lines, 'chat_heartbeat')
  await restless.stop(ann, started.chat_session_id)
  await until(lines, 'stop')
  const { messages } = await restless.view(ann, started.chat_session_id, 'own')
  assert.ok(!JSON.stringify(messages).includes('chat_heartbeat'))
})

test('a question without a session appears in no list', async () => {
  answer = () => said('42')
  const { answer: words } = await talk.ask(ann, 'What is it?', forever)
  assert.equal(words, '42')
  assert.deepEqual(await listChats(db, ann, { project: 'any', before: null, limit: 10 }, true), [])
})

test('incognito chats are deleted after a day, others after the configured retention', async () => {
  const secret = { persona_id: 0, name: null, incognito: true, project_id: null }
  const { chat_session_id } = await wholeOf(await talk.start(ann, askingOf('Psst?', { session: secret })))
  await wholeOf(await talk.start(ann, askingOf('Aloud?')))
  const count = async () => (await db.selectFrom('chat_session').select('id').execute()).length
  const maintain = async () => {
    const once = new AbortController()
    const running = talk.runMaintenance(once.signal)
    once.abort()
    await running
  }
  await maintain()
  assert.equal(await count(), 2)
  time += 25 * 3_600_000
  await maintain()
  await assert.rejects(talk.view(ann, chat_session_id, 'own'), { code: 'SESSION_NOT_FOUND' })
  assert.equal(await count(), 1)
  await db.insertInto('setting').values({ name: 'chat_retention_days', value: '1' }).execute()
  await maintain()
  assert.equal(await count(), 0)
  assert.deepEqual(await db.selectFrom('chat_message').select('id').execute(), [])
})
