// An agent as a card: what it is for, and what the person may do with it.
import { Badge, Button } from '@mantine/core'
import type { MinimalPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { AgentImage } from '../../parts/agent-image.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { textsOf } from '../../text/texts.ts'
import { sharingText } from './sharing-text.ts'

interface Props {
  agent: MinimalPersonaSnapshot
  isOwn: boolean
  onShare: () => void
}

export function AgentCard({ agent, isOwn, onShare }: Props) {
  const t = textsOf('agents')
  const { id, name, description, uploaded_image_id, permissions, is_listed } = agent
  return (
    <li className="card card-pad agent-card">
      <div className="agent-card-head">
        <AgentImage name={name} image={uploaded_image_id} />
        <h2>
          <bdi>{name}</bdi>
        </h2>
      </div>
      {!is_listed && (
        <p className="small">
          <Badge color="gray" variant="light" tt="none">
            {t('not_listed')}
          </Badge>{' '}
          <span className="dimmed">{t('not_listed_help')}</span>
        </p>
      )}
      <p className="agent-card-text" dir="auto">
        {description}
      </p>
      {isOwn && <p className="small dimmed">{sharingText(agent)}</p>}
      <div className="row">
        <LinkButton
          size="xs"
          aria-label={t('start_chat_with', { name })}
          to="/chat/{-$chat_session_id}"
          search={{ persona: id }}
        >
          {t('start_chat')}
        </LinkButton>
        {permissions.edit && (
          <LinkButton
            size="xs"
            variant="default"
            aria-label={t('edit_agent', { name })}
            to="/agents/{-$id}"
            params={{ id: String(id) }}
          >
            {textsOf('parts')('edit')}
          </LinkButton>
        )}
        {permissions.share && (
          <Button size="xs" variant="default" aria-label={t('share_named', { name })} onClick={onShare}>
            {t('share_agent')}
          </Button>
        )}
      </div>
    </li>
  )
}
