// The empty chat page: the persona and its starter messages.
import { useQuery } from '@tanstack/react-query'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import { personasQuery } from './personas-query.ts'

export function ChatStart({ persona: id, onAsk }: { persona: number; onAsk: (text: string) => void }) {
  const t = textsOf('chat.start')
  const persona = useQuery(personasQuery).data?.find((it) => it.id === id)
  return (
    <div className="start-chat">
      <Icon name="chat" size={36} />
      <p className="start-chat-title">{t('title')}</p>
      <p className="dimmed" dir="auto">
        {persona?.description || t('help')}
      </p>
      {persona !== undefined && persona.starter_messages.length > 0 && (
        <ul className="start-chat-messages" aria-label={t('messages')}>
          {persona.starter_messages.map(({ name, message }) => (
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
      )}
    </div>
  )
}
