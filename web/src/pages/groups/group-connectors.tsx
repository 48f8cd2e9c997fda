import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { UserGroup } from '../../../../src/client/schemas.ts'
import { pairLabel } from '../../parts/text.tsx'
import { ChooseConnectors } from './choose-connectors.tsx'

export function GroupConnectors({ group }: { group: UserGroup }) {
  const [isChoosing, setIsChoosing] = useState(false)
  return (
    <section className="card card-pad stack" aria-labelledby="group-connectors">
      <header className="group-head">
        <h2 id="group-connectors">Connectors</h2>
        <Button size="xs" variant="default" onClick={() => setIsChoosing(true)}>
          Choose connectors
        </Button>
      </header>
      <p className="dimmed small">Members read the documents of private connectors that name the group.</p>
      {group.cc_pairs.length === 0 ? (
        <p className="dimmed">None</p>
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
