// Takes files that are dropped anywhere on the chat.
import { type DragEvent, useState } from 'react'

const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files')

/** Null takes no files: the browser then does what it always does. */
export function useFileDrop(onFiles: ((files: File[]) => void) | null) {
  const [isOver, setOver] = useState(false)
  if (onFiles === null) return { isOver: false, handlers: {} }
  const handlers = {
    onDragOver(event: DragEvent) {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave(event: DragEvent) {
      // Moving over an element inside is no leaving.
      const isInside = event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)
      if (!isInside) setOver(false)
    },
    onDrop(event: DragEvent) {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(false)
      onFiles([...event.dataTransfer.files])
    },
  }
  return { isOver, handlers }
}
