// The actions that messages offer.
import type { UserMessage } from './conversation.ts'

export interface MessageActions {
  onShow: (id: number) => void
  onEdited: (message: UserMessage, question: { text: string; sources: readonly string[] }) => void
  /** `model` is the id of the model that answers; by default that of the chat. */
  onRegenerate: (message: UserMessage, model?: number) => void
  onCite: (message: number, number: number, isChosen: boolean) => void
  onSources: (message: number) => void
  onDecide: (confirmation_id: string, approve: boolean) => void
}
