// What somebody says of an answer, and which of several they want to go on with.
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { nullish, WITHOUT_NUL, wireBoolean, wireInteger, wireString } from '../../domain/wire.ts'
import { getMessage, setFeedback, showMessage } from '../../store/chat-messages.ts'
import { route } from '../route.ts'
import { chat } from './chat-sessions.ts'

const Text = wireString({ max: 10_000, pattern: WITHOUT_NUL })

const Feedback = z
  .object({
    chat_message_id: wireInteger(),
    is_positive: nullish(wireBoolean()),
    feedback_text: nullish(Text),
    predefined_feedback: nullish(Text),
  })
  .refine((it) => it.is_positive !== null || it.feedback_text !== null, 'say `is_positive`, `feedback_text` or both')
  .meta({ id: 'ChatFeedbackRequest' })

export const chatFeedbackRoutes = [
  route({
    ...chat,
    method: 'POST',
    path: '/chat/create-chat-message-feedback',
    summary: 'Say whether an answer was good',
    description: 'What is said last counts.',
    body: Feedback,
    reply: z.null(),
    errors: ['MESSAGE_NOT_FOUND', 'INVALID_INPUT'],
    handle: async ({ body: { chat_message_id, ...feedback }, subject, services }) => {
      await setFeedback(services.db, subject, chat_message_id, feedback)
      return null
    },
  }),
  route({
    ...chat,
    method: 'DELETE',
    path: '/chat/remove-chat-message-feedback',
    summary: 'Take back what was said of an answer',
    query: z.object({ chat_message_id: wireInteger() }),
    reply: z.null(),
    errors: ['MESSAGE_NOT_FOUND', 'INVALID_INPUT'],
    handle: async ({ query, subject, services }) => {
      await setFeedback(services.db, subject, query.chat_message_id, null)
      return null
    },
  }),
  route({
    ...chat,
    method: 'PUT',
    path: '/chat/set-message-as-latest',
    summary: 'Go on with this message',
    description: 'Where a question was asked again, or answered again, the branch that is shown goes by this one.',
    body: z.object({ message_id: wireInteger() }).meta({ id: 'ChatMessageIdentifier' }),
    reply: z.null(),
    errors: ['MESSAGE_NOT_FOUND'],
    handle: async ({ body, subject, services: { db } }) => {
      const { chat_session_id, parent_id, id } = await getMessage(db, subject, body.message_id)
      await showMessage(db, chat_session_id, parent_id, id)
      return null
    },
  }),
  route({
    ...chat,
    method: 'PUT',
    path: '/chat/set-preferred-response',
    summary: 'Go on with one of several answers',
    body: z
      .object({ user_message_id: wireInteger(), preferred_response_id: wireInteger() })
      .meta({ id: 'PreferredResponse' }),
    reply: z.null(),
    errors: ['MESSAGE_NOT_FOUND', 'INVALID_INPUT'],
    handle: async ({ body, subject, services: { db } }) => {
      const answer = await getMessage(db, subject, body.preferred_response_id)
      if (answer.parent_id !== body.user_message_id) {
        throw new AppError('INVALID_INPUT', { reason: '`preferred_response_id` is no answer to `user_message_id`.' })
      }
      await showMessage(db, answer.chat_session_id, answer.parent_id, answer.id)
      return null
    },
  }),
]
