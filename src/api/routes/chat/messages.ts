// Sends chat messages, streams answers, and controls a running answer.
import { z } from 'zod'
import type { ChatQuestion, StartTurnRequest } from '../../../chat/session/chats.ts'
import { ChatFullResponse, MAX_MESSAGE_CHARACTERS } from '../../../domain/chat/chat.ts'
import { Packet } from '../../../domain/chat/packet.ts'
import { AppError } from '../../../domain/errors.ts'
import { getChat } from '../../../store/chats/chats.ts'
import {
  NOT_BLANK,
  nullish,
  WITHOUT_NUL,
  wireArray,
  wireBoolean,
  wireEnum,
  wireInteger,
  wireNumber,
  wireObject,
  wireString,
} from '../../../wire/schemas.ts'
import { EVENT_STREAM_TYPE, LineStreamResponse } from '../../http/line-stream.ts'
import { type RouteCall, route } from '../../route.ts'
import { ROOT_MESSAGE_ID } from '../../views/chat-session.ts'
import { baseFilterFields, toFilters } from '../../wire/base-filters.ts'
import { ChatSessionId, ChatSessionPath, chatDefaults, newSessionFields } from './sessions.ts'

const LATEST_MESSAGE = -1
const ORIGINS = ['webapp', 'chrome_extension', 'api', 'slackbot', 'widget', 'discordbot', 'mobile', 'unknown', 'unset']
const shortText = wireString({ max: 1_000, pattern: WITHOUT_NUL })

const LlmOverride = z
  .object({
    model_configuration_id: nullish(wireInteger()),
    model_provider: nullish(shortText),
    model_version: nullish(shortText),
    temperature: nullish(wireNumber({ min: 0, max: 2 })),
    display_name: nullish(shortText),
  })
  .meta({ id: 'LLMOverride' })

const FileDescriptor = z
  .object({
    id: shortText,
    type: wireEnum(['image', 'document', 'plain_text', 'tabular', 'csv', 'user_knowledge']),
    name: nullish(shortText),
    user_file_id: nullish(shortText),
  })
  .meta({ id: 'FileDescriptor' })

/** RFC 9110, 5.6.2 and 5.5. */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const mcpHeaders = wireObject(wireString({ max: 10_000, pattern: FIELD_VALUE }), { max: 50 }).refine(
  (it) => Object.keys(it).every((key) => FIELD_NAME.test(key)),
  'a header name is not valid in HTTP',
)

const isUnset = (it: unknown) => it === null || it === false || (Array.isArray(it) && it.length === 0)

const SendMessageRequest = z
  .object({
    message: wireString({ min: 1, max: MAX_MESSAGE_CHARACTERS, pattern: NOT_BLANK }),
    chat_session_id: nullish(ChatSessionId).describe('An existing session. If absent, a new session is created.'),
    chat_session_info: nullish(z.object(newSessionFields)).describe('Options of the new session.'),
    parent_message_id: wireInteger({ min: -1 })
      .nullable()
      .default(LATEST_MESSAGE)
      .describe(
        'The message to reply to. Absent or -1: the latest message. Null or 0: the root, so this becomes the first message. The id of a question regenerates its answer.',
      ),
    stream: nullish(wireBoolean()).describe(
      'Default: true. With false, the complete answer is returned as one JSON object.',
    ),
    file_descriptors: nullish(wireArray(FileDescriptor, { max: 100 })).describe(
      'Own files, uploaded with POST /user/file/upload.',
    ),
    internal_search_filters: nullish(z.object(baseFilterFields)),
    allowed_tool_ids: nullish(wireArray(wireInteger(), { max: 1_000 })).describe(
      'Restricts the tools of the persona to these.',
    ),
    forced_tool_id: nullish(wireInteger()).describe('The tool the model must call first.'),
    llm_override: nullish(LlmOverride).describe(
      'The model to use. Responds with 404 if the model does not exist or is not available to the caller.',
    ),
    llm_overrides: nullish(wireArray(LlmOverride, { max: 3 })).refine(
      isUnset,
      'only one model can answer: send `llm_override`, and send the message again with another model to compare',
    ),
    include_citations: nullish(wireBoolean()).describe('Default: true.'),
    additional_context: nullish(wireString({ max: 200_000, pattern: WITHOUT_NUL })).describe(
      'Additional context for the answer. Treated as data, like documents, not as instructions.',
    ),
    mcp_headers: nullish(mcpHeaders).describe('Headers sent to the MCP servers of the persona.'),
    deep_research: nullish(wireBoolean()).refine(isUnset, 'deep research is not supported: omit this field'),
    mock_llm_response: nullish(wireString({ max: 64_000 })).refine(
      isUnset,
      'mock responses are not supported: omit this field',
    ),
    origin: nullish(wireEnum(ORIGINS)),
    quotes_without_tokens: nullish(wireBoolean()).describe(
      'When a limit of tokens is used up: true answers with quotations of documents, false or absent with 429.',
    ),
  })
  .refine(
    (it) => it.chat_session_id === null || it.chat_session_info === null,
    'send `chat_session_id` or `chat_session_info`, not both',
  )
  .meta({ id: 'SendMessageRequest' })
type SendMessageRequest = z.infer<typeof SendMessageRequest>

const ChatStreamLine = z
  .union([
    z
      .object({ chat_session_id: z.string(), incognito: z.boolean() })
      .describe('First line if a session was created.')
      .meta({ id: 'ChatSessionLine' }),
    z.object({ user_message_id: z.int(), reserved_assistant_message_id: z.int() }).meta({ id: 'MessageIdsLine' }),
    Packet,
    z
      .object({
        error: z.string(),
        stack_trace: z.null(),
        error_code: z.string(),
        is_retryable: z.boolean(),
        details: z.null(),
      })
      .meta({ id: 'StreamingErrorLine' }),
  ])
  .meta({ id: 'ChatStreamLine' })

async function createTurnRequest({ body, subject, services }: RouteCall<unknown, unknown, SendMessageRequest, 'db'>) {
  const { chat_session_id, chat_session_info: info, parent_message_id } = body
  const session: StartTurnRequest['session'] =
    chat_session_id === null
      ? {
          persona_id: info?.persona_id ?? 0,
          name: info?.description || null,
          incognito: info?.incognito ?? false,
          project_id: info?.project_id ?? null,
        }
      : { id: chat_session_id }
  const filters = await toFilters(body.internal_search_filters, subject, services.db)
  const question = { ...questionFields(body), filters }
  const parent = parent_message_id === ROOT_MESSAGE_ID ? null : parent_message_id
  return {
    session,
    parent_message_id: parent,
    question,
    isInteractive: body.stream !== false,
  } satisfies StartTurnRequest
}

const questionFields = (body: SendMessageRequest): Omit<ChatQuestion, 'filters'> => ({
  message: body.message,
  files: (body.file_descriptors ?? []).map(({ id, user_file_id, type, name: title }) => ({
    id: user_file_id ?? id,
    type,
    name: title,
  })),
  allowed_tool_ids: body.allowed_tool_ids,
  forced_tool_id: body.forced_tool_id,
  modelOverride: modelOverride(body),
  temperature: body.llm_override?.temperature ?? null,
  include_citations: body.include_citations ?? true,
  additional_context: body.additional_context,
  remoteHeaders: body.mcp_headers ?? {},
})

/** Returns null if only a temperature was sent: that does not select a model. */
function modelOverride({ llm_override: it }: SendMessageRequest): ChatQuestion['modelOverride'] {
  if (it === null) return null
  const { model_configuration_id, model_provider, model_version } = it
  if (model_configuration_id === null && model_provider === null && model_version === null) return null
  return { model_configuration_id, model_provider, model_version }
}

/** Rejects a model that is not available, instead of answering silently with another one. */
async function checkOverride({
  body,
  subject,
  services,
}: RouteCall<unknown, unknown, SendMessageRequest, 'db' | 'languageModels'>): Promise<void> {
  const override = modelOverride(body)
  if (override === null) return
  const { chat_session_id: id, chat_session_info: info } = body
  const personaId = id === null ? (info?.persona_id ?? 0) : (await getChat(services.db, subject, id)).persona_id
  if (await services.languageModels.canChoose(subject, personaId, override)) return
  const { model_configuration_id, model_provider, model_version } = override
  const requestedModel = [model_configuration_id, model_provider, model_version].filter(
    (it) => it !== null && it !== '',
  )
  const what = `: model "${requestedModel.join(' ').slice(0, MAX_QUOTED_LENGTH)}" of llm_override does not exist or is not available to you. GET /llm/provider lists the available models.`
  throw new AppError('NOT_FOUND', { what })
}
const MAX_QUOTED_LENGTH = 200

/** RATE_LIMITED: the tokens are used up, and the caller wants no quotations instead. */
async function checkTokens({
  body,
  subject,
  services,
}: RouteCall<unknown, unknown, SendMessageRequest, 'languageModels'>): Promise<void> {
  if (body.quotes_without_tokens === true) return
  const exhausted = await services.languageModels.findExhaustedBudget(subject)
  if (exhausted === null) return
  const { reason, tokens: limit, resetSeconds: seconds } = exhausted
  throw new AppError('RATE_LIMITED', { reason, limit, seconds })
}

const SEND_DESCRIPTION = `Sends a message in a new or an existing session. The answer is streamed as lines of JSON with the content type
\`${EVENT_STREAM_TYPE}\`: the session if one was created, the ids of question and answer, then packets. The
last packet is \`stop\`. A client that sends exactly \`Accept: ${EVENT_STREAM_TYPE}\` receives server-sent events
with the same JSON, whose ids are cursors for \`resume-stream\`. With \`stream: false\` the complete answer is one JSON
object. Errors after the first line are packets. Without a language model, or if it fails, the answer consists of quotes.
When a limit of tokens is used up, the response is 429; with \`quotes_without_tokens\`, quotes.`

const RESUME_DESCRIPTION = `Streams the running or just finished answer. \`cursor\` is the number of packets that the client has already
received, without heartbeats; the header \`Last-Event-ID\` takes precedence.`

type ResumeCall = RouteCall<z.infer<typeof ChatSessionPath>, { cursor: number | null }, unknown, 'chats'>

/** An event source reconnects with the same URL, so `Last-Event-ID` is more recent than the cursor in it. */
const resumeStream = ({ subject, services, params, query, lastEventId, signal }: ResumeCall) => {
  const lastEvent = lastEventId !== null && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null
  return services.chats.resume(subject, params.chat_session_id, lastEvent ?? query.cursor ?? 0, signal)
}

export const chatMessageRoutes = [
  route({
    ...chatDefaults,
    name: 'sendChatMessage',
    method: 'POST',
    path: '/chat/send-chat-message',
    pool: 'chat',
    summary: 'Send message',
    description: SEND_DESCRIPTION,
    body: SendMessageRequest,
    reply: ChatFullResponse,
    stream: ChatStreamLine,
    errors: [
      'NOT_FOUND',
      'SESSION_NOT_FOUND',
      'MESSAGE_NOT_FOUND',
      'PERSONA_NOT_FOUND',
      'PROJECT_NOT_FOUND',
      'TOOL_NOT_FOUND',
      'FILE_NOT_FOUND',
      'SESSION_BUSY',
      'STORE_FULL',
      'SHUTTING_DOWN',
    ],
    services: ['db', 'languageModels', 'chats'],
    handle: async (call) => {
      const { subject, services, signal } = call
      await checkOverride(call)
      await checkTokens(call)
      const turnRequest = await createTurnRequest(call)
      const run = await services.chats.start(subject, turnRequest)
      return turnRequest.isInteractive ? new LineStreamResponse(run.read(signal)) : run.readAll(signal)
    },
  }),
  route({
    ...chatDefaults,
    access: ['chat', 'read:chat'],
    name: 'resumeChatStream',
    method: 'GET',
    path: '/chat/chat-session/{chat_session_id}/resume-stream',
    pool: 'chat',
    summary: 'Resume stream',
    description: RESUME_DESCRIPTION,
    params: ChatSessionPath,
    query: z.object({ cursor: nullish(wireInteger({ min: 0 })) }),
    mediaType: EVENT_STREAM_TYPE,
    reply: ChatStreamLine,
    errors: ['SESSION_NOT_FOUND', 'NOTHING_ANSWERED'],
    services: ['chats'],
    handle: async (call) => new LineStreamResponse(await resumeStream(call)),
  }),
  route({
    ...chatDefaults,
    name: 'stopChatSession',
    method: 'POST',
    path: '/chat/stop-chat-session/{chat_session_id}',
    summary: 'Stop answer',
    description:
      'Keeps the text generated so far. The answer has ended when this responds. Does nothing if no answer is running.',
    params: ChatSessionPath,
    reply: z.object({ message: z.string() }).meta({ id: 'ChatStopped' }),
    errors: ['SESSION_NOT_FOUND'],
    services: ['chats'],
    handle: async ({ params, subject, services }) => {
      await services.chats.stop(subject, params.chat_session_id)
      return { message: 'Chat session stopped' }
    },
  }),
  route({
    ...chatDefaults,
    name: 'confirmToolCall',
    method: 'POST',
    path: '/chat/confirm-tool-call',
    summary: 'Confirm tool call',
    description:
      'Responds to a `custom_tool_confirmation` packet. A call that is not confirmed within five minutes is not executed.',
    body: z
      .object({ chat_session_id: ChatSessionId, confirmation_id: shortText, approve: wireBoolean() })
      .meta({ id: 'ToolCallConfirmation' }),
    reply: z.null(),
    errors: ['SESSION_NOT_FOUND', 'CONFIRMATION_NOT_FOUND'],
    services: ['chats'],
    handle: async ({ body, subject, services }) => {
      await services.chats.decide(subject, body.chat_session_id, body.confirmation_id, body.approve)
      return null
    },
  }),
]
