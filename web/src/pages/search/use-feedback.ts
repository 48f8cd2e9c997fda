// Records a search once the user stops typing or acts on a result, and sends feedback for it.
import { useEffect, useRef } from 'react'
import { recordSearchFeedback, searchDocuments } from '../../../../src/client/operations.ts'
import type { SearchFeedback } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import type { SearchState } from './search-state.ts'
import { type Hit, toSearchRequest } from './use-results.ts'

const TYPING_PAUSE_MS = 1_000

export type FeedbackKind = SearchFeedback['kind']
/** Resolves with whether the feedback was saved. Never rejects: a failure must not disturb reading. */
export type SendFeedback = (hit: Hit, kind: FeedbackKind) => Promise<boolean>

export function useFeedback(state: SearchState): { recordNow: () => void; sendFeedback: SendFeedback } {
  const body = toSearchRequest(state)
  const searchKey = JSON.stringify(body)
  const recorded = useRef<{ searchKey: string; id: Promise<string | null> } | null>(null)
  const recordSearch = () => {
    if (recorded.current?.searchKey === searchKey) return recorded.current.id
    const plain = { ...body, facets: false, explain: false, record: true, remember: true }
    const id = searchDocuments(api, { body: plain }).then(
      (it) => it.search_id,
      () => {
        recorded.current = null
        return null
      },
    )
    recorded.current = { searchKey, id }
    return id
  }
  const record = useRef(recordSearch)
  record.current = recordSearch
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new search starts the timer again.
  useEffect(() => {
    if (body.query === '') return
    const timer = setTimeout(() => void record.current(), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [searchKey])
  return {
    recordNow: () => void (body.query !== '' && record.current()),
    async sendFeedback({ document_id }, kind) {
      const search_id = await record.current()
      if (search_id === null) return false
      return recordSearchFeedback(api, { body: { search_id, document_id, kind } }).then(
        () => true,
        () => false,
      )
    },
  }
}
