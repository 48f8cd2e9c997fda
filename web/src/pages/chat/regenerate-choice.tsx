// Asks another model for another answer. Hidden where there is no other model.
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { listPersonaModels } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'

interface Props {
  persona: number
  /** The name of the model that wrote the answer, if one did. */
  current: string | undefined
  onChoose: (model: number) => void
}

export function RegenerateChoice({ persona, current, onChoose }: Props) {
  const t = textsOf('chat.answer')
  const menu = useRef<HTMLDetailsElement>(null)
  const models = useModels(persona).filter((it) => it.name !== current)
  if (models.length === 0) return null
  const close = () => menu.current?.removeAttribute('open')
  const choose = (model: number) => {
    close()
    onChoose(model)
  }
  return (
    <details
      ref={menu}
      className="model-choice"
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && close()}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
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
