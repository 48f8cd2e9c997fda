import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useNavigate, useParams, useRouterState, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { Empty, Failure, Waiting } from '../parts/states.tsx'
import { may, useMe } from '../session.ts'
import { ChatHead } from './chat-head.tsx'
import { type ChatState, readChatState } from './chat-state.ts'
import { Composer } from './composer.tsx'
import { type AnswerMessage, type Conversation, shownBranch, titleOf } from './conversation.ts'
import { History } from './history.tsx'
import { Messages } from './messages.tsx'
import { Sources } from './sources.tsx'
import { StartChat } from './start-chat.tsx'
import { useAttachments } from './use-attachments.ts'
import { useChatKeys } from './use-chat-keys.ts'
import { type NewQuestion, useConversation } from './use-conversation.ts'
import './chat.css'

const FROM = '/signed-in/chat/{-$chat_session_id}'
const WIDE = '(min-width: 75em)'
const MIDDLE = '(min-width: 56em)'

export function ChatPage() {
  const me = useMe()
  if (me !== undefined && !may(me, 'chat')) {
    return (
      <Empty icon="chat" title="This key may not chat">
        Sign in with another one to ask questions.
      </Empty>
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
  const [cited, setCited] = useState<{ message: number; number: number } | null>(null)
  const attachments = useAttachments()
  const chat = useConversation(id, state.persona ?? 0)
  const { conversation, query, ask, stop } = chat
  const isRunning = conversation?.running != null
  const branch = conversation === undefined ? [] : shownBranch(conversation)
  const go = (search: ChatState) => void navigate({ to: '.', search, replace: true, resetScroll: false })

  const closeSources = () => {
    const { message: _, ...others } = state
    go(others)
  }
  const send = (question: NewQuestion, onTaken = () => {}) => {
    setCited(null)
    if (state.message !== undefined) closeSources()
    ask.mutate(question, { onSuccess: onTaken })
    window.requestAnimationFrame(() => window.scrollTo({ top: document.body.scrollHeight }))
  }
  const sendText = (words: string) =>
    send({ text: words.trim(), files: attachments.files() }, () => {
      setText('')
      attachments.clear()
    })
  useHandedOver(state, sendText)
  useChatKeys({ input, onEscape: isRunning ? () => stop.mutate() : null })
  useTitle(conversation)
  useFollowing(branch.at(-1), isRunning)

  const onCite = useCallback((message: number, number: number) => setCited({ message, number }), [])
  const asideAnswer = answerToShow(branch, cited?.message ?? state.message)
  const shownNumber = cited !== null && cited.message === asideAnswer?.id ? cited.number : null
  const showSources = (message: number) => {
    setCited(null)
    go({ ...state, message })
  }
  return (
    <div className={isWide ? 'chat chat-wide' : isMiddle ? 'chat chat-middle' : 'chat'}>
      {isMiddle && (
        <nav className="chat-history" aria-label="Chats">
          <History current={id} onOpen={() => {}} />
        </nav>
      )}
      <div className="chat-main">
        <ChatHead
          conversation={conversation}
          onHistory={isMiddle ? null : () => setHistoryOpen(true)}
          persona={state.persona ?? 0}
          onPersona={(persona) => {
            const { persona: _, ...others } = state
            go(persona === 0 ? others : { ...others, persona })
          }}
        />
        {query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
        {id !== null && query.isPending && !query.isError && <Waiting lines={7} />}
        {id === null && branch.length === 0 && (
          <StartChat persona={state.persona ?? 0} onAsk={(words) => send({ text: words, files: [] })} />
        )}
        {conversation !== undefined && (
          <Messages
            chat={chat}
            conversation={conversation}
            branch={branch}
            onAsk={send}
            onCite={onCite}
            onChosen={isWide ? null : (message) => go({ ...state, message })}
            onSources={showSources}
          />
        )}
        {conversation?.isForeign === false && (
          <div className="chat-foot">
            {ask.isError && <Failure error={ask.error} />}
            {stop.isError && <Failure error={stop.error} />}
            <Composer
              input={input}
              text={text}
              onText={setText}
              attachments={attachments}
              isRunning={isRunning}
              isSending={ask.isPending}
              onSend={() => sendText(text)}
              onStop={() => stop.mutate()}
            />
          </div>
        )}
      </div>
      {isWide && (
        <aside className="chat-sources" aria-label="Sources">
          {asideAnswer !== undefined && asideAnswer.answer.documents.length > 0 && (
            <>
              <h2>Sources</h2>
              <Sources answer={asideAnswer.answer} shown={shownNumber} />
            </>
          )}
        </aside>
      )}
      {!isWide && state.message !== undefined && asideAnswer !== undefined && (
        <Dialog title="Sources" onClose={closeSources}>
          <Sources answer={asideAnswer.answer} shown={shownNumber} />
          <CloseForm />
        </Dialog>
      )}
      {isHistoryOpen && !isMiddle && (
        <Dialog title="Chats" onClose={() => setHistoryOpen(false)}>
          <History current={id} onOpen={() => setHistoryOpen(false)} />
          <CloseForm />
        </Dialog>
      )}
    </div>
  )
}

const CloseForm = () => (
  <form method="dialog" className="dialog-end">
    <Button type="submit" variant="default">
      Close
    </Button>
  </form>
)

/** The one that is asked for, else the last. */
const answerToShow = (branch: ReturnType<typeof shownBranch>, id: number | undefined): AnswerMessage | undefined => {
  const answers = branch.filter((it) => it.type === 'assistant')
  return answers.find((it) => it.id === id) ?? answers.at(-1)
}

/** What was asked on the page of the search is sent at once; what somebody's link says waits in the field. */
function useHandedOver({ q }: ChatState, send: (text: string) => void): void {
  const isAsked = useRouterState({ select: (it) => it.location.state.isAsked === true })
  const isSent = useRef(false)
  useEffect(() => {
    if (!isAsked || q === undefined || isSent.current) return
    isSent.current = true
    send(q)
  })
}

function useTitle(conversation: Conversation | undefined): void {
  const name = titleOf(conversation)
  useEffect(() => {
    document.title = `${name} · Pharos`
  }, [name])
}

const NEAR_PX = 160

/** Who reads at the end stays at the end while it grows; who has scrolled up stays there. */
function useFollowing(last: unknown, isRunning: boolean): void {
  const isNear = useRef(true)
  useEffect(() => {
    const look = () => {
      isNear.current = window.innerHeight + window.scrollY > document.body.scrollHeight - NEAR_PX
    }
    window.addEventListener('scroll', look, { passive: true })
    return () => window.removeEventListener('scroll', look)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the last message makes the page longer.
  useEffect(() => {
    if (isRunning && isNear.current) window.scrollTo({ top: document.body.scrollHeight })
  }, [last, isRunning])
}
