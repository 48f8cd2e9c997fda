// Loads a conversation and provides its actions: ask, stop, confirm a tool call, switch branches.
import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import {
  confirmToolCall,
  setLatestMessage,
  setPreferredResponse,
  stopChatSession,
} from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { AnswerStream, findAnswerStream } from './answer-stream.ts'
import { chatKey, chatQuery, setChatCacheDefaults } from './chat-query.ts'
import {
  blankConversation,
  type Conversation,
  lastShown,
  type Message,
  type UserMessage,
  withQuestion,
  withShown,
} from './conversation.ts'
import { type FileDescriptor, sendQuestion } from './wire.ts'

export type NewQuestion =
  | {
      text: string
      files: readonly FileDescriptor[]
      /** Searches only these sources. Absent: everything. */
      sources?: readonly string[]
      /** Absent: follows the last message shown. */
      parent?: number | null
    }
  /** Generates another answer to the same question. */
  | { again: UserMessage; model?: number }

export function useConversation(id: string | null, personaId: number) {
  const queryClient = useQueryClient()
  const router = useRouter()
  const known = queryClient.getQueryData<Conversation>(chatKey(id))
  const query = useQuery({
    ...(id === null ? { queryKey: chatKey(null), queryFn: skipToken } : chatQuery(id)),
    // While an answer streams in, the cache is newer than what the service has stored.
    enabled: id !== null && known?.running?.isRead !== true,
  })
  const conversation = query.data ?? (id === null ? blankConversation(personaId) : undefined)
  const onCreated = (chat_session_id: string) => {
    if (router.state.location.pathname !== '/chat') return
    void router.navigate({ to: '/chat/{-$chat_session_id}', params: { chat_session_id }, replace: true })
  }
  useResumedAnswer(conversation)
  const ask = useMutation({
    /** Resolves when the service has accepted the question. The answer streams in later. */
    mutationFn: async (question: NewQuestion) => {
      if (conversation === undefined || findAnswerStream(id) !== undefined) return
      const model = 'again' in question ? question.model : undefined
      const asked = 'again' in question ? question : { parent: lastShown(conversation), sources: [], ...question }
      const sent =
        'again' in asked
          ? { message: asked.again.text, files: [...asked.again.files], parent_message_id: asked.again.id }
          : { message: asked.text, files: [...asked.files], parent_message_id: asked.parent }
      const { sources } = 'again' in asked ? asked.again : asked
      setChatCacheDefaults(queryClient)
      await queryClient.cancelQueries({ queryKey: chatKey(id) })
      queryClient.setQueryData<Conversation>(chatKey(id), withQuestion(conversation, asked))
      const stream = new AnswerStream({ queryClient, id, onCreated })
      const session = id === null ? { chat_session_info: { persona_id: personaId } } : { chat_session_id: id }
      try {
        void stream.read(await sendQuestion(session, { ...sent, sources, model }, stream.signal))
      } catch (error) {
        stream.discardQuestion()
        throw error
      }
    },
  })
  const stop = useMutation({
    mutationFn: async () => {
      if (id === null) return findAnswerStream(null)?.abort()
      await stopChatSession(api, { chat_session_id: id }).catch((error: unknown) => {
        findAnswerStream(id)?.abort()
        throw error
      })
    },
  })
  const confirm = useMutation({
    mutationFn: (decision: { confirmation_id: string; approve: boolean }) =>
      confirmToolCall(api, { body: { chat_session_id: id ?? '', ...decision } }),
  })
  const show = (message: Message) => {
    queryClient.setQueryData<Conversation>(chatKey(id), (it) => it && withShown(it, message))
    void selectMessage(message).catch(() => {})
  }
  return { conversation, query, ask, stop, confirm, show }
}

/** Keeps the choice between alternatives for the next visit. */
const selectMessage = ({ type, id, parent }: Message) =>
  type === 'assistant' && parent !== null
    ? setPreferredResponse(api, { body: { user_message_id: parent, preferred_response_id: id } })
    : setLatestMessage(api, { body: { message_id: id } })

/** Resumes the stream of an answer that was started elsewhere or before a reload. */
function useResumedAnswer(conversation: Conversation | undefined): void {
  const queryClient = useQueryClient()
  const id = conversation?.id ?? null
  const isWaiting = conversation?.running?.isRead === false
  useEffect(() => {
    if (id === null || !isWaiting || findAnswerStream(id) !== undefined) return
    queryClient.setQueryData<Conversation>(
      chatKey(id),
      (it) => it && { ...it, running: it.running && { ...it.running, isRead: true } },
    )
    void new AnswerStream({ queryClient, id, onCreated: () => {} }).read(null)
  }, [queryClient, id, isWaiting])
}
