// One answer: its steps, its text with citations, and notes about errors and removed citations.
import { ActionIcon, Alert, Badge, Button } from '@mantine/core'
import { memo, type ReactNode, useMemo } from 'react'
import { CopyButton } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import { type Answer, pendingCall, plainText } from './answer.ts'
import { AnswerFeedback } from './answer-feedback.tsx'
import { CitationContext } from './citation-link.tsx'
import type { AnswerMessage, UserMessage } from './conversation.ts'
import { Markdown } from './markdown.tsx'
import type { MessageActions } from './message-actions.ts'
import { RegenerateChoice } from './regenerate-choice.tsx'
import { Steps } from './steps.tsx'
import { ToolConfirmation } from './tool-confirmation.tsx'
import { messageElementId } from './use-opened-message.ts'

interface Props {
  message: AnswerMessage
  question: UserMessage | null
  isRunning: boolean
  isForeign: boolean
  mayAsk: boolean
  persona: number
  /** The state of the latest decision about a tool call. */
  decision: { id: string; isBusy: boolean; error: unknown } | null | undefined
  actions: MessageActions
  children: ReactNode
}

export const AnswerView = memo((props: Props) => {
  const { message, question, isRunning, isForeign, mayAsk, persona, decision, actions, children } = props
  const { id, answer, error } = message
  const t = textsOf('chat.answer')
  const call = isRunning ? pendingCall(answer) : undefined
  const cites = useMemo(
    () => ({ answer, onShow: (number: number, isChosen: boolean) => actions.onCite(id, number, isChosen) }),
    [answer, id, actions],
  )
  return (
    <article className="answer" aria-busy={isRunning} id={messageElementId(id)}>
      <h2 className="sr-only">{t('title')}</h2>
      <Steps steps={answer.steps} />
      {answer.extractiveReason !== null && (
        <p className="answer-quotes">
          <Badge variant="light" color="yellow" radius="sm">
            {t('quotes_only')}
          </Badge>
          {/* An extractive answer usually starts with the reason already. */}
          {!answer.text.startsWith(answer.extractiveReason) && <span>{answer.extractiveReason}</span>}
        </p>
      )}
      <CitationContext value={cites}>
        <Markdown text={answer.text} />
      </CitationContext>
      {isRunning && call === undefined && answer.steps.every((it) => it.isDone) && <span className="caret" />}
      {call !== undefined && (
        <ToolConfirmation
          call={call}
          isBusy={decision?.id === call.confirmation_id && decision.isBusy}
          error={decision?.id === call.confirmation_id ? decision.error : null}
          onDecide={(approve) => actions.onDecide(call.confirmation_id, approve)}
        />
      )}
      <AnswerNotes answer={answer} error={error} isRunning={isRunning} />
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
              aria-label={t('regenerate')}
              title={t('regenerate')}
              onClick={() => actions.onRegenerate(question)}
            >
              <Icon name="retry" size={16} />
            </ActionIcon>
          )}
          {mayAsk && question !== null && (
            <RegenerateChoice
              persona={persona}
              current={answer.usage?.model}
              onChoose={(model) => actions.onRegenerate(question, model)}
            />
          )}
          {!isForeign && id > 0 && <AnswerFeedback message={message} />}
          {answer.usage !== null && (
            <span className="answer-usage dimmed">
              {t.rich('usage', {
                model: () => <bdi>{answer.usage?.model}</bdi>,
                input: answer.usage.input_tokens,
                output: answer.usage.output_tokens,
              })}
            </span>
          )}
        </div>
      )}
    </article>
  )
})

function sourcesText({ documents, citations }: Answer): string {
  const t = textsOf('chat.answer')
  const cited = new Set([...citations.values()].map((it) => it.document_id)).size
  return cited === 0 ? t('found', { count: documents.length }) : t('sources', { count: cited })
}

/** The reason is one of the service's codes, or that of a model server. */
function stopText(reason: string): string {
  const t = textsOf('chat.answer')
  if (reason === 'user_cancelled') return t('user_cancelled')
  return reason === 'length' ? t('length') : t('stopped', { reason })
}

/** Facts about the answer that its text does not contain. */
function AnswerNotes({ answer, error, isRunning }: { answer: Answer; error: string | null; isRunning: boolean }) {
  const t = textsOf('chat.answer')
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
      {!isRunning && stop_reason && <p className="answer-note">{stopText(stop_reason)}</p>}
      {removed > 0 && <p className="answer-note">{t('removed', { count: removed })}</p>}
      {!isRunning && answer.text.trim() === '' && faults.length === 0 && !stop_reason && (
        <p className="answer-note">{t('empty')}</p>
      )}
    </>
  )
}
