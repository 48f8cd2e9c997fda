// Shows the effect of a change of a tool: the fields, and the operations that come, go and change.
import type { ToolDefinitionDiff, ToolOperation, ToolOperationChange } from '../../../../src/client/schemas.ts'
import { type DifferenceRow, DifferenceTable } from '../../parts/difference-table.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { textsOf } from '../../text/texts.ts'

interface Props {
  fields: readonly DifferenceRow[]
  definition: ToolDefinitionDiff | null
}

export function ToolDifference({ fields, definition }: Props) {
  const t = textsOf('admin.tools')
  const rows = definition?.server == null ? fields : [...fields, serverDifference(definition.server)]
  return (
    <>
      {rows.length > 0 && (
        <DifferenceTable
          label={t('changes')}
          fieldLabel={t('field')}
          beforeLabel={t('before')}
          afterLabel={t('after')}
          rows={rows}
        />
      )}
      {definition !== null && <Operations {...definition} />}
    </>
  )
}

const serverDifference = ({ before, after }: NonNullable<ToolDefinitionDiff['server']>): DifferenceRow => ({
  name: 'server',
  label: textsOf('admin.tools')('server'),
  before: before ?? '',
  after: after ?? '',
})

function Operations({ added, removed, changed }: ToolDefinitionDiff) {
  const t = textsOf('admin.tools')
  return (
    <div>
      <OperationList title={t('added', { count: added.length })} operations={added} />
      <OperationList title={t('removed', { count: removed.length })} operations={removed} />
      {changed.length > 0 && (
        <>
          <h3>{t('changed', { count: changed.length })}</h3>
          {changed.map((it) => (
            <ChangedOperation key={it.name} operation={it} />
          ))}
        </>
      )}
      {added.length + removed.length + changed.length === 0 && <p>{t('same_operations')}</p>}
    </div>
  )
}

const OperationList = ({ title, operations }: { title: string; operations: readonly ToolOperation[] }) =>
  operations.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <ul className="long-text">
        {operations.map((it) => (
          <li key={it.name}>
            <code>{it.name}</code>{' '}
            <span className="dimmed">
              {it.method.toUpperCase()} {it.path}
            </span>{' '}
            <bdi>{it.summary}</bdi>
          </li>
        ))}
      </ul>
    </>
  )

function ChangedOperation({ operation }: { operation: ToolOperationChange }) {
  const t = textsOf('admin.tools')
  return (
    <details>
      <summary>
        <code>{operation.name}</code>
      </summary>
      <RecordTable
        label={operation.name}
        rows={operation.changes}
        keyOf={({ field }) => field}
        columns={[
          { label: t('field'), cell: ({ field }) => <code>{field}</code> },
          { label: t('before'), className: 'long-text', cell: (it) => <JsonValue value={it.before} /> },
          { label: t('after'), className: 'long-text', cell: (it) => <JsonValue value={it.after} /> },
        ]}
      />
    </details>
  )
}

const JsonValue = ({ value }: { value: unknown }) => (
  <pre className="tool-text">{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>
)
