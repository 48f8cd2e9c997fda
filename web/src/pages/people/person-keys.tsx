import type { PersonDetails } from '../../../../src/client/schemas.ts'
import { Expiry, RecordTable } from '../../parts/record-table.tsx'
import { Time } from '../../parts/text.tsx'
import { ROLE_LABELS } from './roles.ts'

/** Keys are created and deleted on the page of ingestion. */
export const PersonKeys = ({ keys }: { keys: PersonDetails['api_keys'] }) => (
  <section aria-label="Keys" className="people-part">
    <h3>Keys</h3>
    {keys.length === 0 && <p className="dimmed small">No key acts for the person.</p>}
    {keys.length > 0 && (
      <RecordTable
        label="Keys"
        rows={keys}
        keyOf={({ id }) => id}
        columns={[
          { label: 'Name', className: 'long-text', cell: ({ id, name }) => <bdi>{name ?? `Key ${id}`}</bdi> },
          { label: 'Key', className: 'nowrap', cell: ({ display }) => <code>{display}</code> },
          { label: 'Role', className: 'nowrap', cell: ({ role }) => ROLE_LABELS[role] },
          { label: 'Last used', className: 'nowrap', cell: (it) => <Time at={it.last_used_at} /> },
          { label: 'Expires', className: 'nowrap', cell: (it) => <Expiry at={it.expires_at} /> },
        ]}
      />
    )}
  </section>
)
