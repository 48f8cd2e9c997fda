import type { PersonDetails } from '../../../../src/client/schemas.ts'
import { Expiry, RecordTable } from '../../parts/record-table.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { roleLabel } from './roles.ts'

/** Keys are created and deleted on the page of ingestion. */
export function PersonKeys({ keys }: { keys: PersonDetails['api_keys'] }) {
  const t = textsOf('admin.people.details')
  const parts = textsOf('parts')
  return (
    <section aria-label={t('keys')} className="people-part">
      <h3>{t('keys')}</h3>
      {keys.length === 0 && <p className="dimmed small">{t('no_keys')}</p>}
      {keys.length > 0 && (
        <RecordTable
          label={t('keys')}
          rows={keys}
          keyOf={({ id }) => id}
          columns={[
            {
              label: parts('name'),
              className: 'long-text',
              cell: ({ id, name }) => <bdi>{name ?? parts('key_without_name', { id: String(id) })}</bdi>,
            },
            { label: parts('key'), className: 'nowrap', cell: ({ display }) => <code>{display}</code> },
            { label: parts('role'), className: 'nowrap', cell: ({ role }) => roleLabel(role) },
            {
              label: textsOf('admin.people')('last_used'),
              className: 'nowrap',
              cell: (it) => <Time at={it.last_used_at} />,
            },
            { label: parts('expires'), className: 'nowrap', cell: (it) => <Expiry at={it.expires_at} /> },
          ]}
        />
      )}
    </section>
  )
}
