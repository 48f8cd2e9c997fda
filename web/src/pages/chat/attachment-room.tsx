// Says how much of the attached files the model can read at once.
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { getAvailableContextTokens, getMaxSelectedDocumentTokens } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'
import { readChatState } from './chat-state.ts'

const FROM = '/signed-in/chat/{-$chat_session_id}'

export function AttachmentRoom() {
  const { chat_session_id } = useParams({ from: FROM })
  const { persona: persona_id = 0 } = useSearch({ from: FROM, select: readChatState })
  const room = useQuery({
    queryKey: ['agents', 'room', chat_session_id ?? null, persona_id],
    queryFn: async ({ signal }) => {
      if (chat_session_id === undefined)
        return (await getMaxSelectedDocumentTokens(api, { persona_id, signal })).max_tokens
      return (await getAvailableContextTokens(api, { chat_session_id, signal })).available_tokens
    },
  })
  if (room.data === undefined) return null
  return <li className="dimmed small">{textsOf('chat.composer')('room', { count: room.data })}</li>
}
