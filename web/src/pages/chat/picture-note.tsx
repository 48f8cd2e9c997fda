// Says whether a model sees an attached picture.
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { getChatSession, listPersonaModels } from '../../../../src/client/operations.ts'
import type { LLMProviderDescriptors } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'
import { readChatState } from './chat-state.ts'

const FROM = '/signed-in/chat/{-$chat_session_id}'

export function PictureNote() {
  const t = textsOf('chat.composer')
  const { chat_session_id } = useParams({ from: FROM })
  const { persona: asked = 0 } = useSearch({ from: FROM, select: readChatState })
  const chat = useQuery({
    queryKey: ['chat-model-settings', chat_session_id, 'pictures'],
    queryFn: ({ signal }) => getChatSession(api, { chat_session_id: chat_session_id ?? '', signal }),
    enabled: chat_session_id !== undefined,
  })
  const persona_id = chat.data?.persona_id ?? asked
  const models = useQuery({
    queryKey: ['models', persona_id],
    queryFn: ({ signal }) => listPersonaModels(api, { persona_id, signal }),
  })
  if (models.data === undefined || (chat_session_id !== undefined && chat.isPending)) return null
  const isSeen = readsPictures(models.data, chat.data?.current_alternate_model ?? null)
  return <span className="dimmed">{t(isSeen ? 'image_seen' : 'image_unread')}</span>
}

/** The model of the chat reads them, or the one that administrators chose for pictures. */
function readsPictures({ providers, default_text, default_vision }: LLMProviderDescriptors, chosen: string | null) {
  const models = providers.flatMap((provider) => provider.model_configurations.map((model) => ({ provider, model })))
  const isChosen = ({ provider, model }: (typeof models)[number]) =>
    chosen === null
      ? provider.id === default_text?.provider_id && model.name === default_text.model_name
      : chosen === `${provider.name}__${model.name}`
  const answering = models.find(isChosen) ?? models[0]
  return default_vision !== null || answering?.model.supports_image_input === true
}
