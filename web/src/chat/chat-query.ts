// The conversation of an address: one's own, or one that its owner has shared.
import type { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../src/client/api.ts'
import { getChatGetChatSessionChatSessionId } from '../../../src/client/operations.ts'
import { api } from '../api.ts'
import { type Conversation, conversationOf } from './conversation.ts'

/** Null: one that the service has not named yet. */
export const chatKey = (id: string | null) => ['chat', id ?? 'new'] as const

const KEPT = {
  /** An answer is read on while another page is shown, for which its conversation must not be thrown away. */
  gcTime: 1_800_000,
  /** Each piece of an answer would be compared with all that was said before. */
  structuralSharing: false,
}

export const chatQuery = (id: string) => ({
  queryKey: chatKey(id),
  queryFn: ({ signal }: { signal: AbortSignal }) => readChat(id, signal),
  staleTime: 30_000,
  ...KEPT,
})

async function readChat(chat_session_id: string, signal: AbortSignal): Promise<Conversation> {
  const get = (is_shared: boolean) => getChatGetChatSessionChatSessionId(api, { chat_session_id, is_shared, signal })
  try {
    return conversationOf(await get(false))
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error
    return conversationOf(await get(true))
  }
}

export const keepChats = (queries: QueryClient): void => queries.setQueryDefaults(['chat'], KEPT)
