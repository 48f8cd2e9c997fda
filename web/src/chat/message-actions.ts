// What a person can do with a message.
import type { AskedMessage } from './conversation.ts'

export interface MessageActions {
  onShow: (id: number) => void
  onEdited: (message: AskedMessage, text: string) => void
  onAgain: (message: AskedMessage) => void
  onCite: (message: number, number: number, isChosen: boolean) => void
  onSources: (message: number) => void
  onDecide: (confirmation_id: string, approve: boolean) => void
}
