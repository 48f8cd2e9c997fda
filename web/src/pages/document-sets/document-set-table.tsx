import { Button } from '@mantine/core'
import type { DocumentSetSummary, MinimalPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { EndButton, RecordTable } from '../../parts/record-table.tsx'
import { pairLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

interface Props {
  sets: readonly DocumentSetSummary[]
  /** Undefined while they are read. */
  agentsOf: (set: DocumentSetSummary) => readonly MinimalPersonaSnapshot[] | undefined
  onEdit: (set: DocumentSetSummary) => void
  onDelete: (set: DocumentSetSummary) => void
}

export function DocumentSetTable({ sets, agentsOf, onEdit, onDelete }: Props) {
  const t = textsOf('admin.document_sets')
  return (
    <div className="card">
      <RecordTable
        label={t('title')}
        rows={sets}
        keyOf={({ id }) => id}
        columns={[
          { label: t('set'), className: 'long-text', cell: (it) => <NameCell set={it} /> },
          {
            label: t('connectors'),
            className: 'long-text',
            cell: ({ cc_pair_summaries }) => <Names names={cc_pair_summaries.map(pairLabel)} />,
          },
          { label: t('open_to'), cell: readersText },
          {
            label: t('agents'),
            className: 'long-text',
            cell: (it) => <Names names={agentsOf(it)?.map(({ name }) => name) ?? []} />,
          },
        ]}
        action={(it) => (
          <div className="row-actions">
            <Button
              size="compact-sm"
              variant="subtle"
              aria-label={t('edit_named', { name: it.name })}
              onClick={() => onEdit(it)}
            >
              {textsOf('parts')('edit')}
            </Button>
            <EndButton
              label={textsOf('parts')('delete')}
              longLabel={t('delete_named', { name: it.name })}
              onClick={() => onDelete(it)}
            />
          </div>
        )}
      />
    </div>
  )
}

const NameCell = ({ set: { name, description } }: { set: DocumentSetSummary }) => (
  <>
    <bdi>{name}</bdi>
    <div className="small dimmed" dir="auto">
      {description}
    </div>
  </>
)

function readersText({ is_public, users, groups }: DocumentSetSummary): string {
  const t = textsOf('admin.document_sets')
  if (is_public) return t('everybody')
  if (users.length === 0 && groups.length === 0) return t('managers_only')
  return t('chosen_readers', { people: users.length, groups: groups.length })
}

/** The others are counted. */
const SHOWN = 4

function Names({ names }: { names: readonly string[] }) {
  if (names.length === 0) return <span className="dimmed">{textsOf('parts')('none')}</span>
  return (
    <ul className="set-names">
      {names.slice(0, SHOWN).map((it, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two connectors may have the same name.
        <li key={at}>
          <bdi>{it}</bdi>
        </li>
      ))}
      {names.length > SHOWN && (
        <li className="dimmed">{textsOf('admin.document_sets')('more', { count: names.length - SHOWN })}</li>
      )}
    </ul>
  )
}
