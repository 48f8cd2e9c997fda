import { Link } from '@tanstack/react-router'
import { pairLabel } from '../../parts/text.tsx'
import { hasPermission, useMe } from '../../session.ts'

/** The connectors of a document; links for people who may open them. */
export function PairLinks({ pairs }: { pairs: readonly { id: number; name: string }[] }) {
  const isLinked = hasPermission(useMe(), 'manage:connectors')
  return pairs.map((it) => (
    <div key={it.id}>
      {isLinked ? (
        <Link to="/admin/connector/$cc_pair_id" params={{ cc_pair_id: String(it.id) }}>
          <bdi>{pairLabel(it)}</bdi>
        </Link>
      ) : (
        <bdi>{pairLabel(it)}</bdi>
      )}
    </div>
  ))
}
