// What a person can do in a conversation, and what is known of it.
import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import {
  postChatConfirmToolCall,
  postChatStopChatSessionChatSessionId,
  putChatSetMessageAsLatest,
} from '../../../src/client/operations.ts'
import { api } from '../api.ts'
import { chatKey, chatQuery, keepChats } from './chat-query.ts'
import {
  type AskedMessage,
  blankConversation,
  type Conversation,
  lastShown,
  type Message,
  withAsked,
  withShown,
} from './conversation.ts'
import { Reading, readingOf } from './reading.ts'
import { type FileDescriptor, sendQuestion } from './wire.ts'

export type NewQuestion =
  | { text: string; files: readonly FileDescriptor[] /** Absent: after what was said last. */; parent?: number | null }
  /** Another answer to it. */
  | { again: AskedMessage }

export function useConversation(id: string | null, personaId: number) {
  const queries = useQueryClient()
  const router = useRouter()
  const known = queries.getQueryData<Conversation>(chatKey(id))
  const query = useQuery({
    ...(id === null ? { queryKey: chatKey(null), queryFn: skipToken } : chatQuery(id)),
    // What is read at the moment is newer than what the service has written down.
    enabled: id !== null && known?.running?.isRead !== true,
  })
  const conversation = query.data ?? (id === null ? blankConversation(personaId) : undefined)
  const onCreated = (chat_session_id: string) => {
    if (router.state.location.pathname !== '/chat') return
    void router.navigate({ to: '/chat/{-$chat_session_id}', params: { chat_session_id }, replace: true })
  }
  useResumed(conversation)
  const ask = useMutation({
    /** Ends when the service has taken the question; what it answers comes by and by. */
    mutationFn: async (question: NewQuestion) => {
      if (conversation === undefined || readingOf(id) !== undefined) return
      const asked = 'again' in question ? question : { parent: lastShown(conversation), ...question }
      const sent =
        'again' in asked
          ? { message: asked.again.text, files: [...asked.again.files], parent_message_id: asked.again.id }
          : { message: asked.text, files: [...asked.files], parent_message_id: asked.parent }
      keepChats(queries)
      await queries.cancelQueries({ queryKey: chatKey(id) })
      queries.setQueryData<Conversation>(chatKey(id), withAsked(conversation, asked))
      const reading = new Reading({ queries, id, onCreated })
      const place = id === null ? { chat_session_info: { persona_id: personaId } } : { chat_session_id: id }
      try {
        void reading.read(await sendQuestion(place, sent, reading.signal))
      } catch (error) {
        reading.refused()
        throw error
      }
    },
  })
  const stop = useMutation({
    mutationFn: async () => {
      if (id === null) return readingOf(null)?.letGo()
      await postChatStopChatSessionChatSessionId(api, { chat_session_id: id }).catch((error: unknown) => {
        readingOf(id)?.letGo()
        throw error
      })
    },
  })
  const confirm = useMutation({
    mutationFn: (decision: { confirmation_id: string; approve: boolean }) =>
      postChatConfirmToolCall(api, { body: { chat_session_id: id ?? '', ...decision } }),
  })
  const show = (message: Message) => {
    queries.setQueryData<Conversation>(chatKey(id), (it) => it && withShown(it, message))
    void putChatSetMessageAsLatest(api, { body: { message_id: message.id } }).catch(() => {})
  }
  return { conversation, query, ask, stop, confirm, show }
}

/** An answer that was begun elsewhere, or before the page was loaded anew, is read on. */
function useResumed(conversation: Conversation | undefined): void {
  const queries = useQueryClient()
  const id = conversation?.id ?? null
  const isWaiting = conversation?.running?.isRead === false
  useEffect(() => {
    if (id === null || !isWaiting || readingOf(id) !== undefined) return
    queries.setQueryData<Conversation>(
      chatKey(id),
      (it) => it && { ...it, running: it.running && { ...it.running, isRead: true } },
    )
    void new Reading({ queries, id, onCreated: () => {} }).read(null)
  }, [queries, id, isWaiting])
}
