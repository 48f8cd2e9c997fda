// Feedback on answers, and the choice between alternative answers.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { getMessage, selectBranch, setMessageFeedback } from '../../../store/chats/messages.ts'
import { nullish, WITHOUT_NUL, wireBoolean, wireInteger, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { chatDefaults } from './sessions.ts'

const FeedbackText = wireString({ max: 10_000, pattern: WITHOUT_NUL })

const ChatFeedbackRequest = z
  .object({
    chat_message_id: wireInteger(),
    is_positive: nullish(wireBoolean()),
    feedback_text: nullish(FeedbackText),
    predefined_feedback: nullish(FeedbackText),
  })
  .refine((it) => it.is_positive !== null || it.feedback_text !== null, 'send `is_positive`, `feedback_text` or both')
  .meta({ id: 'ChatFeedbackRequest' })

export const chatFeedbackRoutes = [
  route({
    ...chatDefaults,
    name: 'createChatMessageFeedback',
    method: 'POST',
    path: '/chat/create-chat-message-feedback',
    summary: 'Create message feedback',
    description: 'Replaces earlier feedback on the same message.',
    body: ChatFeedbackRequest,
    reply: z.null(),
    errors: ['MESSAGE_NOT_FOUND', 'INVALID_INPUT'],
    services: ['db'],
    handle: async ({ body: { chat_message_id, ...feedback }, subject, services }) => {
      await setMessageFeedback(services.db, subject, chat_message_id, feedback)
      return null
    },
  }),
  route({
    ...chatDefaults,
    name: 'deleteChatMessageFeedback',
    method: 'DELETE',
    path: '/chat/remove-chat-message-feedback',
    summary: 'Delete message feedback',
    query: z.object({ chat_message_id: wireInteger() }),
    reply: z.null(),
    errors: ['MESSAGE_NOT_FOUND', 'INVALID_INPUT'],
    services: ['db'],
    handle: async ({ query, subject, services }) => {
      await setMessageFeedback(services.db, subject, query.chat_message_id, null)
      return null
    },
  }),
  route({
    ...chatDefaults,
    name: 'setLatestMessage',
    method: 'PUT',
    path: '/chat/set-message-as-latest',
    summary: 'Set message as latest',
    description: 'Selects the branch that the session shows, if a question was edited or an answer regenerated.',
    body: z.object({ message_id: wireInteger() }).meta({ id: 'ChatMessageIdentifier' }),
    reply: z.null(),
    errors: ['MESSAGE_NOT_FOUND'],
    services: ['db'],
    handle: async ({ body, subject, services: { db } }) => {
      const { chat_session_id, parent_id, id } = await getMessage(db, subject, body.message_id)
      await selectBranch(db, chat_session_id, parent_id, id)
      return null
    },
  }),
  route({
    ...chatDefaults,
    name: 'setPreferredResponse',
    method: 'PUT',
    path: '/chat/set-preferred-response',
    summary: 'Set preferred response',
    body: z
      .object({ user_message_id: wireInteger(), preferred_response_id: wireInteger() })
      .meta({ id: 'PreferredResponse' }),
    reply: z.null(),
    errors: ['MESSAGE_NOT_FOUND', 'INVALID_INPUT'],
    services: ['db'],
    handle: async ({ body, subject, services: { db } }) => {
      const answer = await getMessage(db, subject, body.preferred_response_id)
      if (answer.parent_id !== body.user_message_id) {
        throw new AppError('INVALID_INPUT', {
          reason: '`preferred_response_id` is not an answer to `user_message_id`.',
        })
      }
      await selectBranch(db, answer.chat_session_id, answer.parent_id, answer.id)
      return null
    },
  }),
]
