// Keyboard shortcuts of the chat page: / focuses the input, Escape stops the answer.
import { type RefObject, useEffect, useRef } from 'react'
import { isTextField } from '../search/use-search-keys.ts'

interface ChatKeyTargets {
  input: RefObject<HTMLTextAreaElement | null>
  /** Null when no answer is running. */
  onEscape: (() => void) | null
}

export function useChatKeys({ input, onEscape }: ChatKeyTargets): void {
  const stop = useRef(onEscape)
  stop.current = onEscape
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (document.querySelector('dialog[open]') !== null) return
      if (event.key === '/' && !isTextField(document.activeElement)) input.current?.focus()
      else if (event.key === 'Escape' && stop.current !== null) stop.current()
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [input])
}
