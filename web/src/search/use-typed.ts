// What stands in the box, what is asked of it, and what the address says: three things that follow each other.
import { useEffect, useRef, useState } from 'react'
import type { SearchState } from './search-state.ts'

/** A fast typist's keys are 60 ms apart, and each is asked at once; only what comes faster, as when a key is held, waits. */
const APART_MS = 30

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
  const lastAt = useRef(0)
  const tell = useRef(onAsked)
  tell.current = onAsked
  useEffect(() => {
    if (text === asked) return
    const timer = setTimeout(
      () => {
        lastAt.current = performance.now()
        setAsked(text)
        written.current = text
        tell.current(text)
      },
      Math.max(0, APART_MS - (performance.now() - lastAt.current)),
    )
    return () => clearTimeout(timer)
  }, [text, asked])
  return { text, setText, asked }
}
