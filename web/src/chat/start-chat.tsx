// Before anything was asked: what this is, and how to begin.
import { useQuery } from '@tanstack/react-query'
import { Icon } from '../parts/icon.tsx'
import { KeyList } from '../parts/key-list.tsx'
import { personasQuery } from './personas-query.ts'

const KEYS = [
  ['Enter', 'sends the question'],
  ['Shift + Enter', 'begins a line'],
  ['/', 'to the question'],
  ['Esc', 'stops the answer'],
] as const

export function StartChat({ persona: id, onAsk }: { persona: number; onAsk: (text: string) => void }) {
  const persona = useQuery(personasQuery).data?.find((it) => it.id === id)
  return (
    <div className="start-chat">
      <Icon name="chat" size={36} />
      <p className="start-chat-title">What would you like to know?</p>
      <p className="dimmed">
        {persona?.description || 'The answer rests on documents that you may read, and shows which.'}
      </p>
      {persona !== undefined && persona.starter_messages.length > 0 && (
        <ul className="start-chat-messages" aria-label="To begin with">
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
      <KeyList className="start-chat-keys" keys={KEYS} />
    </div>
  )
}
