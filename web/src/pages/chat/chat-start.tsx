// The empty chat page: the persona and its starter messages.
import { useQuery } from '@tanstack/react-query'
import { Icon } from '../../parts/icon.tsx'
import { personasQuery } from './personas-query.ts'

export function ChatStart({ persona: id, onAsk }: { persona: number; onAsk: (text: string) => void }) {
  const persona = useQuery(personasQuery).data?.find((it) => it.id === id)
  return (
    <div className="start-chat">
      <Icon name="chat" size={36} />
      <p className="start-chat-title">What would you like to know?</p>
      <p className="dimmed">{persona?.description || 'Answers from your company’s documents, with sources.'}</p>
      {persona !== undefined && persona.starter_messages.length > 0 && (
        <ul className="start-chat-messages" aria-label="Suggested questions">
          {persona.starter_messages.map(({ name, message }) => (
            <li key={`${name} ${message}`}>
              <button type="button" onClick={() => onAsk(message)}>
                <span>{name}</span>
                {message !== name && <span className="dimmed">{message}</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
