// The conversation of an address: one's own, or one that its owner has shared.
import type { QueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../src/client/api.ts'
import { type Conversation, conversationOf } from './conversation.ts'
import { getChat } from './wire.ts'

/** Null: one that the service has not named yet. */
export const chatKey = (id: string | null) => ['chat', id ?? 'new'] as const

/** An answer is read on while another page is shown, for which its conversation must not be thrown away. */
const KEPT_MS = 1_800_000

export const chatQuery = (id: string) => ({
  queryKey: chatKey(id),
  queryFn: ({ signal }: { signal: AbortSignal }) => readChat(id, signal),
  staleTime: 30_000,
  gcTime: KEPT_MS,
})

async function readChat(id: string, signal: AbortSignal): Promise<Conversation> {
  try {
    return conversationOf(await getChat(id, false, signal), false)
  } catch (error) {
    if (!(error instanceof ApiError && [403, 404].includes(error.status))) throw error
    return conversationOf(await getChat(id, true, signal), true)
  }
}

export const keepLong = (queries: QueryClient): void => queries.setQueryDefaults(['chat'], { gcTime: KEPT_MS })
