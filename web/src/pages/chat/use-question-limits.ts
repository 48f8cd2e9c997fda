// The sources to which the next question is limited.
import { useState } from 'react'

export interface QuestionLimits {
  sources: readonly string[]
  addSource: (source: string) => void
  removeSource: (source: string) => void
  clear: () => void
}

export function useQuestionLimits(): QuestionLimits {
  const [sources, setSources] = useState<readonly string[]>([])
  return {
    sources,
    addSource: (source) => setSources((before) => (before.includes(source) ? before : [...before, source])),
    removeSource: (source) => setSources((before) => before.filter((it) => it !== source)),
    clear: () => setSources([]),
  }
}
