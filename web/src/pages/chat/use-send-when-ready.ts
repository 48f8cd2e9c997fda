// Sends the question now, or as soon as its files are uploaded.
import { useEffect, useState } from 'react'
import type { Attachments } from './use-attachments.ts'

interface Question {
  text: string
  attachments: Pick<Attachments, 'all'>
  /** False while an answer runs, and while a question is sent. */
  isFree: boolean
  onSend: () => void
}

export function useSendWhenReady({ text, attachments: { all }, isFree, onSend }: Question) {
  const [waitingText, setWaitingText] = useState<string | null>(null)
  const isUploading = all.some((it) => it.state === 'sending')
  const hasFailed = all.some((it) => it.state === 'failed')
  const maySend = text.trim() !== '' && isFree && !hasFailed
  const isWaiting = waitingText !== null
  useEffect(() => {
    if (waitingText === null) return
    // A text that changed meanwhile is not yet meant to be sent.
    if (!maySend || waitingText !== text) setWaitingText(null)
    else if (!isUploading) {
      setWaitingText(null)
      onSend()
    }
  })
  const send = () => {
    if (!maySend) return
    if (isUploading) setWaitingText(text)
    else onSend()
  }
  return { maySend, isWaiting, send }
}
