// The keyboard on the page of a chat: / to the question, Escape stops the answer.
import { type RefObject, useEffect, useRef } from 'react'
import { isWriting } from '../search/use-keys.ts'

interface Keys {
  input: RefObject<HTMLTextAreaElement | null>
  /** Null where there is nothing to stop. */
  onEscape: (() => void) | null
}

export function useChatKeys({ input, onEscape }: Keys): void {
  const stop = useRef(onEscape)
  stop.current = onEscape
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (document.querySelector('dialog[open]') !== null) return
      if (event.key === '/' && !isWriting(document.activeElement)) input.current?.focus()
      else if (event.key === 'Escape' && stop.current !== null) stop.current()
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [input])
}
