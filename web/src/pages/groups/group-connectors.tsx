import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { UserGroup } from '../../../../src/client/schemas.ts'
import { pairLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { ChooseConnectors } from './choose-connectors.tsx'

export function GroupConnectors({ group }: { group: UserGroup }) {
  const t = textsOf('admin.groups')
  const [isChoosing, setIsChoosing] = useState(false)
  return (
    <section className="card card-pad stack" aria-labelledby="group-connectors">
      <header className="group-head">
        <h2 id="group-connectors">{t('connectors')}</h2>
        <Button size="xs" variant="default" onClick={() => setIsChoosing(true)}>
          {t('connectors_section.choose')}
        </Button>
      </header>
      <p className="dimmed small">{t('connectors_section.help')}</p>
      {group.cc_pairs.length === 0 ? (
        <p className="dimmed">{textsOf('parts')('none')}</p>
      ) : (
        <ul className="group-list long-text">
          {group.cc_pairs.map((it) => (
            <li key={it.id}>
              <Link to="/admin/connector/$cc_pair_id" params={{ cc_pair_id: String(it.id) }}>
                <bdi>{pairLabel(it)}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {isChoosing && <ChooseConnectors group={group} onClose={() => setIsChoosing(false)} />}
    </section>
  )
}
