// What stands in the box, what is asked of it, and what the address says: three things that follow each other.
import { useEffect, useRef, useState } from 'react'
import type { SearchState } from './search-state.ts'

/** A fast typist's keys are 60 ms apart: two keys pressed at once are one question, and nobody waits for it. */
const SETTLE_MS = 30

export function useTyped({ q = '' }: SearchState, onAsked: (q: string) => void) {
  const [text, setText] = useState(q)
  const [asked, setAsked] = useState(q)
  /** What we wrote into the address ourselves: anything else there is somebody going back, or a link. */
  const written = useRef(q)
  useEffect(() => {
    if (q === written.current) return
    written.current = q
    setText(q)
    setAsked(q)
  }, [q])
  const tell = useRef(onAsked)
  tell.current = onAsked
  useEffect(() => {
    if (text === asked) return
    const timer = setTimeout(() => {
      setAsked(text)
      written.current = text
      tell.current(text)
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [text, asked])
  return { text, setText, asked }
}
