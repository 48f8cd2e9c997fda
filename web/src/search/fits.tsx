import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Kind } from './use-feedback.ts'

const THUMBS = [
  ['up', 'It fits'],
  ['down', 'It does not'],
] as const
type Thumb = (typeof THUMBS)[number][0]

/** Whoever searched says whether a result is what they looked for. */
export function Fits({ onSay }: { onSay: (kind: Kind) => Promise<boolean> }) {
  const [said, setSaid] = useState<Thumb | null>(null)
  const [isLost, setLost] = useState(false)
  const say = async (thumb: Thumb) => {
    setSaid(thumb)
    const isKept = await onSay(thumb)
    setLost(!isKept)
    if (!isKept) setSaid(null)
  }
  return (
    <fieldset className="fits" aria-label="Is this what you looked for?">
      {THUMBS.map(([thumb, label]) => (
        <Button
          key={thumb}
          size="compact-sm"
          variant={said === thumb ? 'filled' : 'default'}
          aria-pressed={said === thumb}
          onClick={() => void say(thumb)}
        >
          {label}
        </Button>
      ))}
      <span role="status" className="dimmed small">
        {isLost && 'This search is not kept, so that was not noted.'}
      </span>
    </fieldset>
  )
}
