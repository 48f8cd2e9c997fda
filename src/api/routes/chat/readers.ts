// Sharing a session with people and groups.
import { z } from 'zod'
import { getChatReaders, listChatsSharedWith, replaceChatReaders } from '../../../store/chats/chat-readers.ts'
import { wireArray, wireInteger, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { ChatReaders } from '../../views/chat-session.ts'
import { iso } from '../../wire/iso.ts'
import { ChatSessionPath, chatDefaults } from './sessions.ts'

const MAX_PEOPLE = 100
const MAX_GROUPS = 50
const EMAIL = /^[^\s@]+@[^\s@]+$/

const chatReadDefaults = { access: ['chat', 'read:chat'], tag: 'Chat' } as const

export const chatReaderRoutes = [
  route({
    ...chatReadDefaults,
    name: 'getChatReaders',
    method: 'GET',
    path: '/chat/chat-session/{chat_session_id}/readers',
    summary: 'Get readers of session',
    params: ChatSessionPath,
    reply: ChatReaders,
    errors: ['SESSION_NOT_FOUND'],
    services: ['db'],
    handle: ({ params, subject, services: { db } }) => getChatReaders(db, subject, params.chat_session_id),
  }),
  route({
    ...chatDefaults,
    name: 'setChatReaders',
    method: 'PUT',
    path: '/chat/chat-session/{chat_session_id}/readers',
    summary: 'Share session with people and groups',
    description:
      'Replaces the readers. A reader sees neither files nor tool results, and no answer based on documents that the reader may not read. An address that nobody has is accepted, so that the reply reveals nothing about people. The groups must be own groups.',
    params: ChatSessionPath,
    body: z
      .object({
        emails: wireArray(wireString({ max: 320, pattern: EMAIL }), { max: MAX_PEOPLE }),
        group_ids: wireArray(wireInteger({ min: 1 }), { max: MAX_GROUPS }),
      })
      .meta({ id: 'ChatReadersRequest' }),
    reply: ChatReaders,
    errors: ['SESSION_NOT_FOUND', 'USER_GROUP_NOT_FOUND'],
    services: ['db'],
    handle: ({ params, body, subject, services: { db } }) =>
      replaceChatReaders(db, subject, params.chat_session_id, body),
  }),
  route({
    ...chatReadDefaults,
    name: 'listSharedChatSessions',
    method: 'GET',
    path: '/chat/shared-sessions',
    summary: 'List sessions shared with the caller',
    description:
      'The latest 100 sessions that others have shared with the caller by address or group. Get one with `is_shared=true`.',
    reply: z
      .object({
        sessions: z.array(z.object({ id: z.string(), name: z.string().nullable(), time_updated: z.iso.datetime() })),
      })
      .meta({ id: 'SharedChatSessions' }),
    services: ['db'],
    handle: async ({ subject, services: { db } }) => ({
      sessions: (await listChatsSharedWith(db, subject)).map(({ id, name, time_updated }) => ({
        id,
        name,
        time_updated: iso(time_updated),
      })),
    }),
  }),
]
