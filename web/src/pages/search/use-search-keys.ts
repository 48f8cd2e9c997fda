// Keyboard shortcuts of the search page: / focuses the box, arrows move through results, Escape goes back.
import { type RefObject, useEffect } from 'react'

interface KeyTargets {
  input: RefObject<HTMLInputElement | null>
  list: RefObject<HTMLElement | null>
}

export function useSearchKeys({ input, list }: KeyTargets): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // The search box has already handled this key.
      if (event.defaultPrevented) return
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (document.querySelector('dialog[open]') !== null) return
      const focused = document.activeElement
      const results = [...(list.current?.querySelectorAll<HTMLElement>('[data-result]') ?? [])]
      const at = focused instanceof HTMLElement ? results.indexOf(focused) : -1
      if (event.key === '/' && !isTextField(focused)) input.current?.focus()
      else if (event.key === 'Escape' && focused !== input.current) input.current?.focus()
      else if (event.key === 'ArrowDown' && at >= 0) results[at + 1]?.focus()
      else if (event.key === 'ArrowUp' && at > 0) results[at - 1]?.focus()
      else if (event.key === 'ArrowUp' && at === 0) input.current?.focus()
      else return
      event.preventDefault()
      if (document.activeElement === input.current) input.current?.select()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [input, list])
}

export const isTextField = (it: Element | null) =>
  it instanceof HTMLTextAreaElement ||
  it instanceof HTMLSelectElement ||
  (it instanceof HTMLInputElement && it.type !== 'radio' && it.type !== 'checkbox')
