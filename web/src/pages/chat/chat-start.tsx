// The empty chat page: the chosen agent with its questions, and the other agents to choose from.
import { Link } from '@tanstack/react-router'
import type { MinimalPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { AgentImage } from '../../parts/agent-image.tsx'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import { inOrder, useOfferedPersonas } from './personas-query.ts'
import './chat-start.css'

/** The agent of a chat for which nobody has chosen one. */
const USUAL_AGENT = 0
/** The others are on the page of the agents. */
const SHOWN_AGENTS = 6

export function ChatStart({ persona: id, onAsk }: { persona: number; onAsk: (text: string) => void }) {
  const t = textsOf('chat.start')
  const personas = useOfferedPersonas(id)
  const persona = personas.find((it) => it.id === id)
  return (
    <div className="start-chat">
      {persona === undefined || id === USUAL_AGENT ? (
        <>
          <Icon name="chat" size={36} />
          <p className="start-chat-title">{t('title')}</p>
        </>
      ) : (
        <>
          <AgentImage name={persona.name} image={persona.uploaded_image_id} size="large" />
          <p className="start-chat-title" dir="auto">
            {persona.name}
          </p>
        </>
      )}
      <p className="dimmed" dir="auto">
        {persona?.description || t('help')}
      </p>
      {persona !== undefined && <StarterMessages persona={persona} onAsk={onAsk} />}
      <AgentChoice personas={inOrder(personas)} current={id} />
    </div>
  )
}

interface StarterProps {
  persona: MinimalPersonaSnapshot
  onAsk: (text: string) => void
}

function StarterMessages({ persona: { starter_messages }, onAsk }: StarterProps) {
  if (starter_messages.length === 0) return null
  return (
    <ul className="start-chat-messages" aria-label={textsOf('chat.start')('messages')}>
      {starter_messages.map(({ name, message }) => (
        <li key={`${name} ${message}`}>
          <button type="button" onClick={() => onAsk(message)}>
            <span dir="auto">{name}</span>
            {message !== name && (
              <span className="dimmed" dir="auto">
                {message}
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Hidden where there is no other agent. */
function AgentChoice({ personas, current }: { personas: readonly MinimalPersonaSnapshot[]; current: number }) {
  const t = textsOf('chat.start')
  const others = personas.filter((it) => it.id !== current)
  if (others.length === 0) return null
  return (
    <section className="start-agents" aria-label={t('agents')}>
      <div className="start-agents-head">
        <h2>{t('agents')}</h2>
        <Link to="/agents/{-$id}" params={{ id: undefined }}>
          {t('all_agents')}
        </Link>
      </div>
      <ul>
        {others.slice(0, SHOWN_AGENTS).map((it) => (
          <li key={it.id}>
            <Link
              className="start-agent"
              to="/chat/{-$chat_session_id}"
              params={{ chat_session_id: undefined }}
              search={it.id === USUAL_AGENT ? {} : { persona: it.id }}
            >
              <AgentImage name={it.name} image={it.uploaded_image_id} />
              <span className="start-agent-text">
                <strong dir="auto">{it.name}</strong>
                <span className="dimmed" dir="auto">
                  {it.description}
                </span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
