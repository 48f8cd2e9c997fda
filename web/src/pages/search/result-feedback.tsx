import { Button } from '@mantine/core'
import { useState } from 'react'
import { textsOf } from '../../text/texts.ts'
import type { FeedbackKind } from './use-feedback.ts'

const THUMBS = ['up', 'down'] as const
type Thumb = (typeof THUMBS)[number]

/** Asks the user whether a result was helpful. */
export function ResultFeedback({ onFeedback }: { onFeedback: (kind: FeedbackKind) => Promise<boolean> }) {
  const t = textsOf('search.feedback')
  const [given, setSaid] = useState<Thumb | null>(null)
  const [wasNotSaved, setLost] = useState(false)
  const give = async (thumb: Thumb) => {
    setSaid(thumb)
    const isKept = await onFeedback(thumb)
    setLost(!isKept)
    if (!isKept) setSaid(null)
  }
  return (
    <fieldset className="fits" aria-label={t('label')}>
      {THUMBS.map((thumb) => (
        <Button
          key={thumb}
          size="compact-sm"
          variant={given === thumb ? 'filled' : 'default'}
          aria-pressed={given === thumb}
          onClick={() => void give(thumb)}
        >
          {t(thumb)}
        </Button>
      ))}
      <span role="status" className="dimmed small">
        {wasNotSaved && t('not_saved')}
      </span>
    </fieldset>
  )
}
