// What of a chat stands in the address, beside its id.

export interface ChatState {
  /** A question to begin with. From an address it is only filled in: what a link says, nobody has asked yet. */
  q?: string
  persona?: number
  /** The answer whose sources are shown. */
  message?: number
}

const MAX_QUESTION = 64_000

/** Whatever stands in the address: what makes no sense is left out. */
export function readChatState(search: Record<string, unknown>): ChatState {
  const state: ChatState = {}
  if (typeof search.q === 'string' && search.q !== '') state.q = search.q.slice(0, MAX_QUESTION)
  const persona = Number(search.persona)
  if (search.persona !== undefined && Number.isSafeInteger(persona) && persona > 0) state.persona = persona
  const message = Number(search.message)
  if (search.message !== undefined && Number.isSafeInteger(message) && message > 0) state.message = message
  return state
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Set by a page of ours only: the question of the address was asked there, and is sent at once. */
    isAsked?: boolean
  }
}
