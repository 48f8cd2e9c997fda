// Scrolls the page while a conversation grows.
import { useEffect, useRef } from 'react'
import type { Message } from './conversation.ts'
import { scrollToMessage } from './scroll-to-message.ts'

const NEAR_PX = 160

/**
 * Moves a new question to the top of the page, so that its answer has the room below it. Readers at the end follow a
 * growing answer; readers who have scrolled away stay where they are.
 */
export function useAutoScroll(branch: readonly Message[], isRunning: boolean): void {
  const isNear = useRef(true)
  useEffect(() => {
    const updateIsNear = () => {
      isNear.current = window.innerHeight + window.scrollY > document.body.scrollHeight - NEAR_PX
    }
    window.addEventListener('scroll', updateIsNear, { passive: true })
    return () => window.removeEventListener('scroll', updateIsNear)
  }, [])
  const last = branch.at(-1)
  useEffect(() => {
    if (last !== undefined && isRunning && isNear.current && isBelowTheFold())
      window.scrollTo({ top: document.body.scrollHeight })
  }, [last, isRunning])
  const wasRunning = useRef(false)
  useEffect(() => {
    // Also at the end: an answer that arrives at once has changed the length of the page.
    if (isRunning || (wasRunning.current && isNear.current)) showLastQuestion()
    wasRunning.current = isRunning
  }, [isRunning])
}

const lastQuestion = () => [...document.querySelectorAll<HTMLElement>('.messages > .question')].at(-1)

/** The first question is already at the top. */
function showLastQuestion(): void {
  const question = lastQuestion()
  if (question !== undefined && question.previousElementSibling !== null) scrollToMessage(question)
}

/** Until an answer fills the room below its question, the question stays where it is. */
function isBelowTheFold(): boolean {
  const answer = lastQuestion()?.nextElementSibling
  const foot = document.querySelector('.chat-foot')
  if (answer == null || foot === null) return true
  const content = [...answer.children].at(-1)
  return content !== undefined && content.getBoundingClientRect().bottom > foot.getBoundingClientRect().top
}
