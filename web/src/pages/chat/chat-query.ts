// Loads the conversation of a URL: the user's own, or a shared one.
import type { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../../src/client/api.ts'
import { getChatSession } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { type Conversation, conversationOf } from './conversation.ts'

/** Null for a conversation without an id yet. */
export const chatKey = (id: string | null) => ['chat', id ?? 'new'] as const

const CACHE_OPTIONS = {
  /** An answer keeps streaming while another page is shown, so its conversation must stay in the cache. */
  gcTime: 1_800_000,
  /** Otherwise each packet of an answer would be compared with the whole conversation. */
  structuralSharing: false,
}

export const chatQuery = (id: string) => ({
  queryKey: chatKey(id),
  queryFn: ({ signal }: { signal: AbortSignal }) => readChat(id, signal),
  staleTime: 30_000,
  ...CACHE_OPTIONS,
})

async function readChat(chat_session_id: string, signal: AbortSignal): Promise<Conversation> {
  const get = (is_shared: boolean) => getChatSession(api, { chat_session_id, is_shared, signal })
  try {
    return conversationOf(await get(false))
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error
    return conversationOf(await get(true))
  }
}

export const setChatCacheDefaults = (queryClient: QueryClient): void =>
  queryClient.setQueryDefaults(['chat'], CACHE_OPTIONS)
