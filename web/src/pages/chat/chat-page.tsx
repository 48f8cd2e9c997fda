import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useNavigate, useParams, useRouterState, useSearch } from '@tanstack/react-router'
import { type ComponentProps, useCallback, useEffect, useRef, useState } from 'react'
import { Dialog } from '../../parts/dialog.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { ChatHead } from './chat-header.tsx'
import { ChatHistory } from './chat-history.tsx'
import { ChatStart } from './chat-start.tsx'
import { type ChatState, readChatState } from './chat-state.ts'
import { Composer } from './composer.tsx'
import { type AnswerMessage, type Conversation, shownBranch, titleOf } from './conversation.ts'
import { Messages } from './messages.tsx'
import { Sources } from './sources.tsx'
import { useAutoScroll } from './use-auto-scroll.ts'
import { useChatKeys } from './use-chat-keys.ts'
import { type NewQuestion, useConversation } from './use-conversation.ts'
import { useFileDrop } from './use-file-drop.ts'
import { useOpenedMessage } from './use-opened-message.ts'
import { useQuestionParts } from './use-question-parts.ts'
import './chat.css'

const FROM = '/signed-in/chat/{-$chat_session_id}'
const WIDE = '(min-width: 75em)'
const MIDDLE = '(min-width: 56em)'

export function ChatPage() {
  const me = useMe()
  if (me !== undefined && !hasPermission(me, 'chat')) {
    const t = textsOf('chat.no_access')
    return (
      <EmptyState icon="chat" title={t('title')}>
        {t('help')}
      </EmptyState>
    )
  }
  return <Chat />
}

function Chat() {
  const { chat_session_id: id = null } = useParams({ from: FROM })
  const state = useSearch({ from: FROM, select: readChatState })
  const navigate = useNavigate({ from: '/chat/{-$chat_session_id}' })
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false }) === true
  const isMiddle = useMediaQuery(MIDDLE, undefined, { getInitialValueInEffect: false }) === true
  const input = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(state.q ?? '')
  const [isHistoryOpen, setHistoryOpen] = useState(false)
  const parts = useQuestionParts()
  const chat = useConversation(id, state.persona ?? 0)
  const { conversation, query, ask, stop } = chat
  const isRunning = conversation?.running != null
  const branch = conversation === undefined ? [] : shownBranch(conversation)
  const navigateTo = (search: ChatState) => void navigate({ to: '.', search, replace: true, resetScroll: false })
  const sources = useShownSources(state, branch, navigateTo)

  const send = (question: NewQuestion, onTaken = () => {}) => {
    sources.reset()
    ask.mutate(question, { onSuccess: onTaken })
  }
  const sendText = (words: string) =>
    send({ text: words.trim(), ...parts.read() }, () => {
      setText('')
      parts.clear()
    })
  useSubmittedQuestion(state, conversation, sendText)
  useChatKeys({ input, onEscape: isRunning ? () => stop.mutate() : null })
  useTitle(conversation)
  useAutoScroll(branch, isRunning)
  useOpenedMessage(state.at, conversation, chat.show)
  const drop = useFileDrop(conversation?.isForeign === false ? parts.fields.attachments.add : null)
  return (
    <div className={isWide ? 'chat chat-wide' : isMiddle ? 'chat chat-middle' : 'chat'}>
      {isMiddle && <HistoryColumn current={id} />}
      <div className={drop.isOver ? 'chat-main chat-drop' : 'chat-main'} {...drop.handlers}>
        <ChatHead
          conversation={conversation}
          onHistory={isMiddle ? null : () => setHistoryOpen(true)}
          persona={state.persona ?? 0}
          onPersona={(persona) => {
            const { persona: _, ...others } = state
            navigateTo(persona === 0 ? others : { ...others, persona })
          }}
        />
        {query.isError && <ErrorAlert error={query.error} retry={() => void query.refetch()} />}
        {id !== null && query.isPending && !query.isError && <LoadingSkeleton lines={7} />}
        {id === null && branch.length === 0 && (
          <ChatStart persona={state.persona ?? 0} onAsk={(words) => send({ text: words, files: [] })} />
        )}
        {conversation !== undefined && (
          <Messages
            chat={chat}
            conversation={conversation}
            branch={branch}
            onAsk={send}
            onCite={sources.onCite}
            onChosen={isWide ? null : (message) => navigateTo({ ...state, message })}
            onSources={sources.show}
          />
        )}
        {conversation?.isForeign === false && (
          <ChatFoot
            chat={chat}
            input={input}
            text={text}
            onText={setText}
            {...parts.fields}
            isRunning={isRunning}
            onSend={() => sendText(text)}
          />
        )}
      </div>
      {isWide && <SourcesColumn {...sources} />}
      {!isWide && state.message !== undefined && <SourcesDialog {...sources} />}
      {isHistoryOpen && !isMiddle && <HistoryDialog current={id} onClose={() => setHistoryOpen(false)} />}
    </div>
  )
}

type ChatFootProps = { chat: Pick<ReturnType<typeof useConversation>, 'ask' | 'stop'> } & Omit<
  ComponentProps<typeof Composer>,
  'isSending' | 'onStop'
>

/** Where the next question is written, with the errors of the last one. */
function ChatFoot({ chat: { ask, stop }, ...composer }: ChatFootProps) {
  return (
    <div className="chat-foot">
      {ask.isError && <ErrorAlert error={ask.error} />}
      {stop.isError && <ErrorAlert error={stop.error} />}
      <Composer {...composer} isSending={ask.isPending} onStop={() => stop.mutate()} />
    </div>
  )
}

/** Which answer's sources are shown, and which of them was chosen by its citation. */
function useShownSources(state: ChatState, branch: Branch, navigateTo: (search: ChatState) => void) {
  const [cited, setCited] = useState<{ message: number; number: number } | null>(null)
  const onCite = useCallback((message: number, number: number) => setCited({ message, number }), [])
  const shown = findShownAnswer(branch, cited?.message ?? state.message)
  const close = () => {
    const { message: _, ...others } = state
    navigateTo(others)
  }
  return {
    answer: shown?.answer,
    number: cited !== null && cited.message === shown?.id ? cited.number : null,
    onCite,
    show(message: number) {
      setCited(null)
      navigateTo({ ...state, message })
    },
    close,
    reset() {
      setCited(null)
      if (state.message !== undefined) close()
    },
  }
}

type ShownSources = ReturnType<typeof useShownSources>

const SourcesColumn = ({ answer, number }: Pick<ShownSources, 'answer' | 'number'>) => (
  <aside className="chat-sources" aria-label={textsOf('chat.sources')('title')}>
    {answer !== undefined && answer.documents.length > 0 && (
      <>
        <h2>{textsOf('chat.sources')('title')}</h2>
        <Sources answer={answer} shown={number} />
      </>
    )}
  </aside>
)

const SourcesDialog = ({ answer, number, close }: Pick<ShownSources, 'answer' | 'number' | 'close'>) =>
  answer !== undefined && (
    <Dialog title={textsOf('chat.sources')('title')} onClose={close}>
      <Sources answer={answer} shown={number} />
      <CloseForm />
    </Dialog>
  )

const HistoryColumn = ({ current }: { current: string | null }) => (
  <nav className="chat-history" aria-label={textsOf('chat.history')('title')}>
    <ChatHistory current={current} onOpen={() => {}} />
  </nav>
)

const HistoryDialog = ({ current, onClose }: { current: string | null; onClose: () => void }) => (
  <Dialog title={textsOf('chat.history')('title')} onClose={onClose}>
    <ChatHistory current={current} onOpen={onClose} />
    <CloseForm />
  </Dialog>
)

const CloseForm = () => (
  <form method="dialog" className="dialog-end">
    <Button type="submit" variant="default">
      {textsOf('parts')('close')}
    </Button>
  </form>
)

type Branch = ReturnType<typeof shownBranch>

/** The requested answer, otherwise the last one. */
const findShownAnswer = (branch: Branch, id: number | undefined): AnswerMessage | undefined => {
  const answers = branch.filter((it) => it.type === 'assistant')
  return answers.find((it) => it.id === id) ?? answers.at(-1)
}

/** Sends a question from another of our pages at once. A question from a link only fills the input. */
function useSubmittedQuestion(
  { q, ...others }: ChatState,
  conversation: Conversation | undefined,
  send: (text: string) => void,
): void {
  const isAsked = useRouterState({ select: (it) => it.location.state.isAsked === true })
  const navigate = useNavigate({ from: '/chat/{-$chat_session_id}' })
  const isSent = useRef(false)
  useEffect(() => {
    if (!isAsked || q === undefined || conversation === undefined || isSent.current) return
    isSent.current = true
    send(q)
    // A reload must not ask again. A new chat gets an address of its own.
    if (conversation.id !== null) void navigate({ to: '.', search: others, replace: true, resetScroll: false })
  })
}

function useTitle(conversation: Conversation | undefined): void {
  const name = titleOf(conversation)
  useEffect(() => {
    document.title = `${name} · Pharos`
  }, [name])
}
