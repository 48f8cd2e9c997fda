// The image of an agent, or the first letter of its name.
import { useState } from 'react'
import './agent-image.css'

interface Props {
  name: string
  /** The id of the uploaded image. */
  image: string | null
  size?: 'small' | 'large'
}

export function AgentImage({ name, image, size = 'small' }: Props) {
  const [missing, setMissing] = useState<string | null>(null)
  const isShown = image !== null && image !== missing
  return (
    <span className={size === 'large' ? 'agent-image agent-image-large' : 'agent-image'} aria-hidden="true">
      {isShown ? (
        <img src={`/api/chat/file/${encodeURIComponent(image)}`} alt="" onError={() => setMissing(image)} />
      ) : (
        firstLetter(name)
      )}
    </span>
  )
}

const firstLetter = (name: string): string => [...name.trim()][0]?.toUpperCase() ?? ''
