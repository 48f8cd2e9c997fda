// Opens a chat at the message that a search has found.
import { useEffect, useRef } from 'react'
import { type Conversation, type Message, messagesToShow } from './conversation.ts'
import { scrollToMessage } from './scroll-to-message.ts'

export const messageElementId = (id: number): string => `message-${id}`

/** Shows its branch, then moves it to the top of the page and focuses it: once, so that readers can scroll away. */
export function useOpenedMessage(
  id: number | undefined,
  conversation: Conversation | undefined,
  show: (message: Message) => void,
): void {
  const opened = useRef<string | null>(null)
  useEffect(() => {
    if (id === undefined || conversation?.id == null || opened.current === `${conversation.id} ${id}`) return
    const hidden = messagesToShow(conversation, id)
    for (const message of hidden) show(message)
    if (hidden.length > 0) return
    opened.current = `${conversation.id} ${id}`
    const element = document.getElementById(messageElementId(id))
    if (element === null) return
    scrollToMessage(element)
    focusOnce(element)
  })
}

/** A message takes the focus only now: a click into its text must not mark it. */
function focusOnce(element: HTMLElement): void {
  element.tabIndex = -1
  element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true })
  element.focus({ preventScroll: true })
}
