// Asks another model for another answer. Hidden where there is no other model.
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { listPersonaModels } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'

interface Props {
  persona: number
  onChoose: (model: number) => void
}

export function RegenerateChoice({ persona, onChoose }: Props) {
  const t = textsOf('chat.answer')
  const menu = useRef<HTMLDetailsElement>(null)
  const models = useModels(persona)
  if (models.length < 2) return null
  const choose = (model: number) => {
    menu.current?.removeAttribute('open')
    onChoose(model)
  }
  return (
    <details ref={menu} className="model-choice">
      <summary>{t('other_model')}</summary>
      <ul aria-label={t('models')}>
        {models.map(({ id, display_name }) => (
          <li key={id}>
            <button type="button" onClick={() => choose(id)}>
              <bdi>{display_name}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}

function useModels(persona_id: number) {
  const { data } = useQuery({
    queryKey: ['models', persona_id],
    queryFn: ({ signal }) => listPersonaModels(api, { persona_id, signal }),
    staleTime: 300_000,
  })
  return (data?.providers ?? []).flatMap((it) => it.model_configurations).filter((it) => it.is_visible)
}
