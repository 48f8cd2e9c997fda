// The service writes a search down once it was meant: somebody has stopped typing, or does something with a result. What
// they do is told with it.
import { useEffect, useRef } from 'react'
import { postSearch, postSearchFeedback } from '../../../src/client/operations.ts'
import type { SearchFeedback } from '../../../src/client/schemas.ts'
import { api } from '../api.ts'
import type { SearchState } from './search-state.ts'
import { type Hit, requestOf } from './use-results.ts'

const AT_REST_MS = 1_000

export type Kind = SearchFeedback['kind']
/** Whether it was kept. Never rejects: nobody who reads a document is told of such a thing. */
export type Say = (hit: Hit, kind: Kind) => Promise<boolean>

export function useFeedback(state: SearchState): { meant: () => void; say: Say } {
  const body = requestOf(state)
  const question = JSON.stringify(body)
  const known = useRef<{ question: string; id: Promise<string | null> } | null>(null)
  const searchId = () => {
    if (known.current?.question === question) return known.current.id
    const plain = { ...body, facets: false, explain: false, record: true }
    const id = postSearch(api, { body: plain }).then(
      (it) => it.search_id,
      () => {
        known.current = null
        return null
      },
    )
    known.current = { question, id }
    return id
  }
  const write = useRef(searchId)
  write.current = searchId
  // biome-ignore lint/correctness/useExhaustiveDependencies: another question is another rest.
  useEffect(() => {
    if (body.query === '') return
    const timer = setTimeout(() => void write.current(), AT_REST_MS)
    return () => clearTimeout(timer)
  }, [question])
  return {
    meant: () => void (body.query !== '' && write.current()),
    async say({ document_id }, kind) {
      const search_id = await write.current()
      if (search_id === null) return false
      return postSearchFeedback(api, { body: { search_id, document_id, kind } }).then(
        () => true,
        () => false,
      )
    },
  }
}
