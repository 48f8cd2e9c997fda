// Keeps the text in the search box, the query that runs and the query in the URL in step.
import { useEffect, useRef, useState } from 'react'
import type { SearchState } from './search-state.ts'

/** Fast typists press a key every 60 ms, so each key searches at once; only a key that is held down is throttled. */
const MIN_INTERVAL_MS = 30

export function useSearchText({ q = '' }: SearchState, onQuery: (q: string) => void) {
  const [text, setText] = useState(q)
  const [query, setQuery] = useState(q)
  /** The query that this hook last wrote to the URL; any other value comes from a link or from the back button. */
  const lastWritten = useRef(q)
  useEffect(() => {
    if (q === lastWritten.current) return
    lastWritten.current = q
    setText(q)
    setQuery(q)
  }, [q])
  const lastAt = useRef(0)
  const latestOnQuery = useRef(onQuery)
  latestOnQuery.current = onQuery
  useEffect(() => {
    if (text === query) return
    const timer = setTimeout(
      () => {
        lastAt.current = performance.now()
        setQuery(text)
        lastWritten.current = text
        latestOnQuery.current(text)
      },
      Math.max(0, MIN_INTERVAL_MS - (performance.now() - lastAt.current)),
    )
    return () => clearTimeout(timer)
  }, [text, query])
  return { text, setText, asked: query }
}
