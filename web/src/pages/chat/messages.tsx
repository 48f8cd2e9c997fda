// The messages of the current branch, and a status line for screen readers.
import { useEffect, useMemo, useRef, useState } from 'react'
import { textsOf } from '../../text/texts.ts'
import { AnswerView } from './answer-view.tsx'
import { BranchSwitcher } from './branch-switcher.tsx'
import { type AnswerMessage, type Conversation, type Message, siblingsOf } from './conversation.ts'
import type { MessageActions } from './message-actions.ts'
import { QuestionView } from './question-view.tsx'
import { stepSummary } from './steps.tsx'
import type { NewQuestion, useConversation } from './use-conversation.ts'

interface Props {
  chat: Pick<ReturnType<typeof useConversation>, 'confirm' | 'show'>
  conversation: Conversation
  branch: readonly Message[]
  onAsk: (question: NewQuestion) => void
  onCite: (message: number, number: number) => void
  /** Null when the sources are shown next to the answer. */
  onChosen: ((message: number) => void) | null
  onSources: (message: number) => void
}

export function Messages(props: Props) {
  const { chat, conversation, branch } = props
  const { running, isForeign } = conversation
  const actions = useActions(props)
  const { variables, isPending, isSuccess, error } = chat.confirm
  const decision = useMemo(
    () => variables && { id: variables.confirmation_id, isBusy: isPending || isSuccess, error },
    [variables, isPending, isSuccess, error],
  )
  const mayAsk = running === null && !isForeign
  const branches = (message: Message, kind: 'question' | 'answer') => {
    const ids = running === null ? siblingsOf(conversation, message) : []
    return ids.length < 2 ? null : <BranchSwitcher ids={ids} id={message.id} kind={kind} onShow={actions.onShow} />
  }
  return (
    <div className="messages">
      {branch.map((it, at) => {
        if (it.type === 'user') {
          return (
            <QuestionView key={it.id} message={it} mayAsk={mayAsk} actions={actions}>
              {branches(it, 'question')}
            </QuestionView>
          )
        }
        const isRunning = running?.message === it.id
        const before = branch[at - 1]
        return (
          <AnswerView
            key={it.id}
            message={it}
            question={before?.type === 'user' ? before : null}
            isRunning={isRunning}
            isForeign={isForeign}
            mayAsk={mayAsk}
            persona={conversation.persona_id}
            decision={isRunning ? decision : null}
            actions={actions}
          >
            {branches(it, 'answer')}
          </AnswerView>
        )
      })}
      <AnswerStatus answer={branch.findLast((it) => it.type === 'assistant')} isRunning={running !== null} />
    </div>
  )
}

/** A stable object, so that only the running answer re-renders. */
function useActions(props: Props): MessageActions {
  const latest = useRef(props)
  latest.current = props
  return useMemo(
    () => ({
      onShow(id) {
        const { chat, conversation } = latest.current
        const next = conversation.messages.find((it) => it.id === id)
        if (next !== undefined) chat.show(next)
      },
      onEdited: ({ files, parent }, edited) => latest.current.onAsk({ ...edited, files, parent }),
      onRegenerate: (again, model) => latest.current.onAsk(model === undefined ? { again } : { again, model }),
      onCite(message, number, isChosen) {
        latest.current.onCite(message, number)
        if (isChosen) latest.current.onChosen?.(message)
      },
      onSources: (message) => latest.current.onSources(message),
      onDecide: (confirmation_id, approve) => latest.current.chat.confirm.mutate({ confirmation_id, approve }),
    }),
    [],
  )
}

/** Announces progress and completion to screen readers. */
function AnswerStatus({ answer, isRunning }: { answer: AnswerMessage | undefined; isRunning: boolean }) {
  const [wasRunning, setWasRunning] = useState(false)
  useEffect(() => {
    if (isRunning) setWasRunning(true)
  }, [isRunning])
  const step = answer?.answer.steps.findLast((it) => !it.isDone)
  const t = textsOf('chat.answer')
  const doing = step === undefined ? t(answer?.answer.text === '' ? 'working' : 'answering') : stepSummary(step)
  return (
    <p role="status" className="sr-only">
      {isRunning ? doing : wasRunning && t('complete')}
    </p>
  )
}
