import { Button } from '@mantine/core'
import { useState } from 'react'
import type { FeedbackKind } from './use-feedback.ts'

const THUMBS = [
  ['up', 'Helpful'],
  ['down', 'Not helpful'],
] as const
type Thumb = (typeof THUMBS)[number][0]

/** Asks the user whether a result was helpful. */
export function ResultFeedback({ onFeedback }: { onFeedback: (kind: FeedbackKind) => Promise<boolean> }) {
  const [given, setSaid] = useState<Thumb | null>(null)
  const [wasNotSaved, setLost] = useState(false)
  const give = async (thumb: Thumb) => {
    setSaid(thumb)
    const isKept = await onFeedback(thumb)
    setLost(!isKept)
    if (!isKept) setSaid(null)
  }
  return (
    <fieldset className="fits" aria-label="Was this result helpful?">
      {THUMBS.map(([thumb, label]) => (
        <Button
          key={thumb}
          size="compact-sm"
          variant={given === thumb ? 'filled' : 'default'}
          aria-pressed={given === thumb}
          onClick={() => void give(thumb)}
        >
          {label}
        </Button>
      ))}
      <span role="status" className="dimmed small">
        {wasNotSaved && 'Your feedback was not saved because this search is not recorded.'}
      </span>
    </fieldset>
  )
}
