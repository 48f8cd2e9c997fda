// What was said, in its order, and who hears it said.
import { useEffect, useState } from 'react'
import { AnswerView } from './answer-view.tsx'
import { Branches } from './branches.tsx'
import { type AnswerMessage, type Conversation, type Message, siblingsOf } from './conversation.ts'
import { Question } from './question.tsx'
import { lineOf } from './steps.tsx'
import type { NewQuestion, useConversation } from './use-conversation.ts'

interface Props {
  chat: Pick<ReturnType<typeof useConversation>, 'confirm' | 'show'>
  conversation: Conversation
  branch: readonly Message[]
  onAsk: (question: NewQuestion) => void
  onCite: (message: number, number: number) => void
  /** Null where the sources stand beside the answer. */
  onChosen: ((message: number) => void) | null
  onSources: (message: number) => void
}

export function Messages({ chat, conversation, branch, onAsk, onCite, onChosen, onSources }: Props) {
  const { running, isForeign } = conversation
  const mayAsk = running === null && !isForeign
  const branches = (message: Message, noun: string) => (
    <Branches
      ids={running === null ? siblingsOf(conversation, message) : []}
      id={message.id}
      noun={noun}
      onShow={(id) => {
        const next = conversation.messages.find((it) => it.id === id)
        if (next !== undefined) chat.show(next)
      }}
    />
  )
  return (
    <div className="messages">
      {branch.map((it, at) =>
        it.type === 'user' ? (
          <Question
            key={it.id}
            message={it}
            onAsk={mayAsk ? (text) => onAsk({ text, files: it.files, parent: it.parent }) : null}
          >
            {branches(it, 'question')}
          </Question>
        ) : (
          <AnswerView
            key={it.id}
            message={it}
            isRunning={running?.message === it.id}
            isForeign={isForeign}
            decision={{
              isBusy: chat.confirm.isPending,
              error: chat.confirm.error,
              onDecide: (confirmation_id, approve) => chat.confirm.mutate({ confirmation_id, approve }),
            }}
            onCite={onCite}
            onChosen={onChosen}
            onSources={() => onSources(it.id)}
            onAgain={mayAsk ? againOf(branch, at, onAsk) : null}
          >
            {branches(it, 'answer')}
          </AnswerView>
        ),
      )}
      <Progress answer={branch.findLast((it) => it.type === 'assistant')} isRunning={running !== null} />
    </div>
  )
}

function againOf(branch: readonly Message[], at: number, onAsk: Props['onAsk']): (() => void) | null {
  const question = branch[at - 1]
  return question?.type === 'user' ? () => onAsk({ again: question }) : null
}

/** For who cannot see the page: what goes on, in few words, and that it is over. */
function Progress({ answer, isRunning }: { answer: AnswerMessage | undefined; isRunning: boolean }) {
  const [wasRunning, setWasRunning] = useState(false)
  useEffect(() => {
    if (isRunning) setWasRunning(true)
  }, [isRunning])
  const step = answer?.answer.steps.findLast((it) => !it.isDone)
  const doing = step !== undefined ? lineOf(step) : answer?.answer.text === '' ? 'Working on it' : 'Answering'
  return (
    <p role="status" className="sr-only">
      {isRunning ? doing : wasRunning && 'The answer is whole.'}
    </p>
  )
}
