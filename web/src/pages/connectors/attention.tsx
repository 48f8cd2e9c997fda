// Names the connectors that need attention at the top of the page.
import { Alert } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Icon } from '../../parts/icon.tsx'
import { pairLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { useAttention } from './use-connector-statuses.ts'

const SHOWN = 5

export function AttentionAlert() {
  const t = textsOf('admin.connectors')
  const { data: pairs = [] } = useAttention()
  if (pairs.length === 0) return null
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      icon={<Icon name="alert" />}
      mb="md"
      title={t('attention', { count: pairs.length })}
    >
      <ul className="attention">
        {pairs.slice(0, SHOWN).map(({ cc_pair_id, name }) => (
          <li key={cc_pair_id}>
            <Link to="/admin/connector/$cc_pair_id" params={{ cc_pair_id: String(cc_pair_id) }}>
              <bdi>{pairLabel({ id: cc_pair_id, name })}</bdi>
            </Link>
          </li>
        ))}
        {pairs.length > SHOWN && <li>{t('attention_more', { count: pairs.length - SHOWN })}</li>}
      </ul>
    </Alert>
  )
}
