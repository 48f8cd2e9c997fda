// Responses have the fields and types that the models of existing clients require. The models here are as strict as those
// of the clients: a field is optional here if it is optional there.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { z } from 'zod'
import { documentOf, start } from './setup.ts'

const { ok, push, makeKey, makePair } = await start()

const text = z.string()
const Tool = z.object({ id: z.int(), name: text, description: text, display_name: text })
const DocumentSet = z.object({
  id: z.int(),
  name: text,
  description: text,
  cc_pair_summaries: z.array(z.object({ id: z.int(), name: text, source: text, access_type: text })),
  is_up_to_date: z.boolean(),
  is_public: z.boolean(),
  users: z.array(text),
  groups: z.array(z.int()),
})
const User = z.object({ id: z.uuid(), email: text })
const Permission = z.enum(['VIEWER', 'EDITOR'])
const Persona = z.object({
  id: z.int(),
  name: text,
  description: text,
  tools: z.array(Tool),
  starter_messages: z.array(z.object({ name: text, message: text })).nullable(),
  document_sets: z.array(DocumentSet),
  hierarchy_node_count: z.int(),
  attached_document_count: z.int(),
  knowledge_sources: z.array(text),
  default_model_configuration_id: z.int().nullable(),
  uploaded_image_id: text.nullable(),
  icon_name: text.nullable(),
  is_public: z.boolean(),
  is_listed: z.boolean(),
  display_priority: z.int().nullable(),
  is_featured: z.boolean(),
  builtin_persona: z.boolean(),
  labels: z.array(z.object({ id: z.int(), name: text })),
  owner: User.nullable(),
  user_file_ids: z.array(text),
  users: z.array(User),
  groups: z.array(z.int()),
  user_shares: z.array(z.object({ user: User, permission: Permission })),
  group_shares: z.array(z.object({ group_id: z.int(), group_name: text, permission: Permission })),
  public_permission: Permission,
  sharing_status: z.enum(['PRIVATE', 'SHARED', 'PUBLIC']),
})
const FullPersona = Persona.extend({
  system_prompt: text.nullable(),
  task_prompt: text.nullable(),
  datetime_aware: z.boolean(),
  replace_base_system_prompt: z.boolean(),
  search_start_date: z.iso.datetime().nullable(),
})
const Message = z.object({
  chat_session_id: z.uuid(),
  message_id: z.int(),
  parent_message: z.int().nullable(),
  latest_child_message: z.int().nullable(),
  message: text,
  message_type: z.enum(['system', 'user', 'assistant']),
  citations: z.record(z.string().regex(/^\d+$/), text).nullable(),
  time_sent: z.iso.datetime(),
  files: z.array(z.object({ id: text, type: text })),
})
const Session = z.object({
  chat_session_id: z.uuid(),
  description: text.nullable(),
  persona_id: z.int().nullable(),
  persona_name: text.nullable(),
  personal_icon_name: text.nullable(),
  messages: z.array(Message),
  time_created: z.iso.datetime(),
  shared_status: z.enum(['public', 'private']),
  current_alternate_model: text.nullable(),
  current_temperature_override: z.number().nullable(),
  current_reasoning_effort_override: text.nullable(),
  deleted: z.boolean(),
  packets: z.array(z.array(z.object({ placement: z.object({ turn_index: z.int() }), obj: z.object({ type: text }) }))),
})
const Preferences = z.object({
  chosen_assistants: z.array(z.int()).nullable(),
  hidden_assistants: z.array(z.int()),
  visible_assistants: z.array(z.int()),
  default_model: text.nullable(),
})
const Me = z.object({
  id: text,
  email: text,
  is_active: z.boolean(),
  is_superuser: z.boolean(),
  is_verified: z.boolean(),
  role: text,
  preferences: Preferences,
  effective_permissions: z.array(text),
})
const Settings = z.object({
  company_name: text.nullable(),
  company_description: text.nullable(),
  maximum_chat_retention_days: z.number().nullable(),
  query_history_type: z.enum(['normal', 'anonymized', 'disabled']).nullable(),
  deep_research_enabled: z.boolean().nullable(),
  application_status: z.literal('active'),
  anonymous_user_enabled: z.boolean().nullable(),
  invite_only_enabled: z.boolean(),
  notifications: z.array(z.unknown()),
  needs_reindexing: z.boolean(),
})
const AuthType = z.object({
  auth_type: text,
  requires_verification: z.boolean(),
  anonymous_user_enabled: z.boolean().nullable(),
  password_min_length: z.int(),
  password_max_length: z.int(),
})
const Indexing = z.array(
  z.object({
    source: text,
    summary: z.record(text, z.int()),
    current_page: z.int(),
    total_pages: z.int(),
    indexing_statuses: z.array(
      z.object({
        cc_pair_id: z.int(),
        name: text,
        source: text,
        access_type: text,
        cc_pair_status: text,
        in_progress: z.boolean(),
        in_repeated_error_state: z.boolean(),
        last_finished_status: text.nullable(),
        last_status: text.nullable(),
        last_success: z.iso.datetime().nullable(),
        is_editable: z.boolean(),
        permissions: z.record(text, z.boolean()),
        docs_indexed: z.int(),
        latest_index_attempt_docs_indexed: z.int().nullable(),
      }),
    ),
  }),
)

let persona: number
let session: string
before(async () => {
  const pair = await makePair('Shapes')
  await push(documentOf('The harbour opens at nine.', { id: 'harbour' }), { cc_pair_id: pair })
  const set = { name: 'Shapes', description: '', cc_pair_ids: [pair], is_public: true }
  const content = { name: 'Clerk', description: '', system_prompt: '', task_prompt: '', datetime_aware: true }
  const document_set_ids = [await ok('POST', '/manage/admin/document-set', { body: set })]
  const shared = { users: ['ann@example.com'], groups: [3] }
  persona = (await ok('POST', '/persona', { body: { ...content, ...shared, document_set_ids, tool_ids: [1] } })).id
  const body = { message: 'When does the harbour open?', stream: false }
  session = (await ok('POST', '/chat/send-chat-message', { body })).chat_session_id
})

const SHAPES: [method: string, path: () => string, model: z.ZodType, body?: object][] = [
  ['GET', () => '/persona', z.array(Persona).min(2)],
  ['GET', () => '/admin/persona', z.array(Persona).min(2)],
  ['GET', () => '/agents', z.object({ items: z.array(Persona).min(2), total_items: z.int() })],
  ['GET', () => '/persona/0', FullPersona],
  ['GET', () => `/persona/${persona}`, FullPersona],
  ['GET', () => '/persona/labels', z.array(z.object({ id: z.int(), name: text }))],
  ['GET', () => `/chat/get-chat-session/${session}`, Session],
  ['GET', () => '/chat/max-selected-document-tokens?persona_id=0', z.object({ max_tokens: z.int() })],
  ['GET', () => `/chat/available-context-tokens/${session}`, z.object({ available_tokens: z.int() })],
  ['GET', () => '/me', Me],
  ['GET', () => '/me/permissions', z.object({ permissions: z.array(text) })],
  ['GET', () => '/settings', Settings],
  ['GET', () => '/admin/settings', Settings],
  ['GET', () => '/auth/type', AuthType],
  ['POST', () => '/manage/admin/connector/indexing-status', Indexing.min(1), { get_all_connectors: true }],
  ['GET', () => '/manage/document-set', z.array(DocumentSet).min(1)],
]
for (const [method, path, model, body] of SHAPES) {
  test(`${method} ${path()} matches the models of existing clients`, async () => {
    const found = model.safeParse(await ok(method, path(), body === undefined ? {} : { body }))
    assert.ok(found.success, found.error === undefined ? '' : z.prettifyError(found.error))
  })
}

test('every key has an e-mail address, also a key that acts for no user', async () => {
  const key = await makeKey({ role: 'basic' })
  const { id, email } = await ok('GET', '/me', { key })
  assert.equal(email, `${id}@key.invalid`)
  assert.match((await ok('GET', '/me')).email, /@key\.invalid$/)
})

test('the first question is a child of the root message, and a citation names its document', async () => {
  const { messages } = await ok('GET', `/chat/get-chat-session/${session}`)
  const [root, question, answer] = messages
  assert.deepEqual(
    [root.message_type, root.parent_message, root.latest_child_message],
    ['system', null, question.message_id],
  )
  assert.equal(question.parent_message, root.message_id)
  assert.deepEqual(answer.citations, { 1: 'harbour' })
})
