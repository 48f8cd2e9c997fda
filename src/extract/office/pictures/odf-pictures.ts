// Finds the pictures that an OpenDocument file shows (ISO/IEC 26300, 10.4).
import { attributeNamed, type XmlHandlers } from '../../xml/xml-parser.ts'
import { resolveMemberName } from '../office-package.ts'
import type { OnPicture } from './drawing-pictures.ts'

interface Frame {
  depth: number
  member: string | null
  alternative: string
}

const MAX_ALTERNATIVE = 2_000

/**
 * Calls `onPicture` for each frame with a picture, while another handler reads the content. The title and the description of
 * other frames are text.
 */
export function withOdfPictures(handlers: XmlHandlers, onPicture: OnPicture): XmlHandlers {
  const frames: Frame[] = []
  let depth = 0
  let isDescription = false
  const inFrame = () => frames.at(-1)?.depth === depth - 1
  return {
    open(name, attributes) {
      depth++
      const frame = frames.at(-1)
      if (frame !== undefined && inFrame()) {
        isDescription = name === 'title' || name === 'desc'
        if (isDescription && frame.alternative !== '') frame.alternative += ' '
        if (name === 'image') frame.member ??= pictureMember(attributeNamed(attributes, 'href') ?? '')
      }
      if (name === 'frame') frames.push({ depth, member: null, alternative: '' })
      if (!isDescription) handlers.open?.(name, attributes)
    },
    text(piece) {
      const frame = frames.at(-1)
      if (!isDescription || frame === undefined) handlers.text?.(piece)
      else if (frame.alternative.length < MAX_ALTERNATIVE) frame.alternative += piece
    },
    close(name) {
      if (isDescription && inFrame()) isDescription = false
      else {
        if (name === 'frame') endFrame(frames.pop())
        handlers.close?.(name)
      }
      depth--
    },
  }

  function endFrame(frame: Frame | undefined): void {
    if (frame === undefined) return
    if (frame.member !== null) onPicture(frame.member, frame.alternative)
    else if (frame.alternative !== '') handlers.text?.(frame.alternative)
  }
}

/** Null for pictures outside the file, and for those that show an embedded document to programs that cannot read it. */
const pictureMember = (href: string): string | null =>
  href === '' || href.includes(':') || /^(?:\.\/)?ObjectReplacements\//.test(href) ? null : resolveMemberName('', href)
