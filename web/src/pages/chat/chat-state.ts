// The part of the chat state that the URL holds in addition to the chat id.

export interface ChatState {
  /** An initial question. A link only fills the input; it never sends a question on the user's behalf. */
  q?: string
  persona?: number
  /** The id of the answer whose sources are shown. */
  message?: number
  /** The id of the message that the page opens at. */
  at?: number
}

const MAX_QUESTION = 64_000

/** Parses the query string; invalid values are ignored. */
export function readChatState(search: Record<string, unknown>): ChatState {
  const state: ChatState = {}
  if (typeof search.q === 'string' && search.q !== '') state.q = search.q.slice(0, MAX_QUESTION)
  const persona = Number(search.persona)
  if (search.persona !== undefined && Number.isSafeInteger(persona) && persona > 0) state.persona = persona
  const message = Number(search.message)
  if (search.message !== undefined && Number.isSafeInteger(message) && message > 0) state.message = message
  const at = Number(search.at)
  if (search.at !== undefined && Number.isSafeInteger(at) && at > 0) state.at = at
  return state
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Set only by our own pages: the user has asked the question in the URL, so it is sent at once. */
    isAsked?: boolean
  }
}
