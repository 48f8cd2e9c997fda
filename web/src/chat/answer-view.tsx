// One answer: the steps, the text with its citations, and what has to be said of it.
import { ActionIcon, Alert, Badge, Button } from '@mantine/core'
import { memo, type ReactNode, useMemo } from 'react'
import { CopyButton } from '../parts/copy.tsx'
import { Icon } from '../parts/icon.tsx'
import { formatCount } from '../parts/text.tsx'
import { type Answer, pendingCall, plainText } from './answer.ts'
import { Cites } from './cite.tsx'
import { Confirmation } from './confirmation.tsx'
import type { AnswerMessage, AskedMessage } from './conversation.ts'
import { Markdown } from './markdown.tsx'
import type { MessageActions } from './message-actions.ts'
import { Steps } from './steps.tsx'
import { Thumbs } from './thumbs.tsx'

interface Props {
  message: AnswerMessage
  question: AskedMessage | null
  isRunning: boolean
  isForeign: boolean
  mayAsk: boolean
  /** On the call that was decided last. */
  decision: { id: string; isBusy: boolean; error: unknown } | null | undefined
  actions: MessageActions
  children: ReactNode
}

export const AnswerView = memo((props: Props) => {
  const { message, question, isRunning, isForeign, mayAsk, decision, actions, children } = props
  const { id, answer, error } = message
  const call = isRunning ? pendingCall(answer) : undefined
  const cites = useMemo(
    () => ({ answer, onShow: (number: number, isChosen: boolean) => actions.onCite(id, number, isChosen) }),
    [answer, id, actions],
  )
  return (
    <article className="answer" aria-busy={isRunning}>
      <h2 className="sr-only">Answer</h2>
      <Steps steps={answer.steps} />
      {answer.quotesBecause !== null && (
        <p className="answer-quotes">
          <Badge variant="light" color="yellow" radius="sm">
            Only quotes
          </Badge>
          <span>{answer.quotesBecause}</span>
        </p>
      )}
      <Cites value={cites}>
        <Markdown text={answer.text} />
      </Cites>
      {isRunning && call === undefined && answer.steps.every((it) => it.isDone) && <span className="caret" />}
      {call !== undefined && (
        <Confirmation
          call={call}
          isBusy={decision?.id === call.confirmation_id && decision.isBusy}
          error={decision?.id === call.confirmation_id ? decision.error : null}
          onDecide={(approve) => actions.onDecide(call.confirmation_id, approve)}
        />
      )}
      <Notes answer={answer} error={error} isRunning={isRunning} />
      {!isRunning && (
        <div className="answer-tools">
          {answer.documents.length > 0 && (
            <Button
              size="compact-sm"
              variant="default"
              className="answer-sources"
              onClick={() => actions.onSources(id)}
            >
              {sourcesText(answer)}
            </Button>
          )}
          {children}
          <CopyButton text={plainText(answer)} />
          {mayAsk && question !== null && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label="Answer again"
              title="Answer again"
              onClick={() => actions.onAgain(question)}
            >
              <Icon name="retry" size={16} />
            </ActionIcon>
          )}
          {!isForeign && id > 0 && <Thumbs message={message} />}
          {answer.usage !== null && (
            <span className="answer-usage dimmed">
              <bdi>{answer.usage.model}</bdi> · {formatCount(answer.usage.input_tokens)} tokens read,{' '}
              {formatCount(answer.usage.output_tokens)} written
            </span>
          )}
        </div>
      )}
    </article>
  )
})

function sourcesText({ documents, citations }: Answer): string {
  const cited = new Set([...citations.values()].map((it) => it.document_id)).size
  if (cited === 0) return `${documents.length} found`
  return cited === 1 ? '1 source' : `${cited} sources`
}

/** By the service's reason; a map, since the reason may be any word. */
const CUT = new Map([
  ['user_cancelled', 'You stopped this answer.'],
  ['length', 'This answer was cut off: it had become as long as the model may write.'],
])

/** What is not in the text, and who reads it has to know. */
function Notes({ answer, error, isRunning }: { answer: Answer; error: string | null; isRunning: boolean }) {
  const faults = [...new Set([...answer.faults, ...(error === null ? [] : [error])])]
  const { removed, stop_reason } = answer
  return (
    <>
      {faults.length > 0 && (
        <Alert color="red" variant="light" role="alert" icon={<Icon name="alert" />} className="answer-fault">
          {faults.map((it) => (
            <p key={it}>{it}</p>
          ))}
        </Alert>
      )}
      {!isRunning && stop_reason && (
        <p className="answer-note">{CUT.get(stop_reason) ?? `This answer was cut off: ${stop_reason}.`}</p>
      )}
      {removed > 0 && (
        <p className="answer-note">
          {removed === 1 ? 'One citation that did not hold was' : `${removed} citations that did not hold were`} taken
          out.
        </p>
      )}
      {!isRunning && answer.text.trim() === '' && faults.length === 0 && !stop_reason && (
        <p className="answer-note">There is no answer.</p>
      )}
    </>
  )
}
