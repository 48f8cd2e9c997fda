// One kind of settings: what it does, its entries as a table, and a button that adds one.
import { Button, TextInput } from '@mantine/core'
import { useDeferredValue, useId, useState } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { type Column, EndButton, RecordTable } from '../../parts/record-table.tsx'
import { textsOf } from '../../text/texts.ts'

/** Longer lists are shown in parts and can be filtered. */
const SHOWN = 10

interface Props<Row> {
  title: string
  help: string
  /** The text of the button. */
  add: string
  /** Said when there is no entry. */
  none: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => string
  /** Names a row for its buttons and the filter. */
  nameOf: (row: Row) => string
  onAdd: () => void
  onEdit?: (row: Row) => void
  onRemove: (row: Row) => void
}

export function SettingList<Row>({ title, help, add, none, rows, onAdd, ...table }: Props<Row>) {
  const id = useId()
  const [filter, setFilter] = useState('')
  const [shown, setShown] = useState(SHOWN)
  const asked = useDeferredValue(filter.trim().toLowerCase())
  const found = asked === '' ? rows : rows.filter((it) => table.nameOf(it).toLowerCase().includes(asked))
  const t = textsOf('admin.ranking.list')
  return (
    <section className="card" aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id}>{title}</h2>
        <Button size="xs" variant="default" leftSection={<Icon name="plus" size={14} />} onClick={onAdd}>
          {add}
        </Button>
      </div>
      <p className="section-note dimmed small">{help}</p>
      {rows.length > SHOWN && (
        <div className="ranking-filter">
          <TextInput
            size="xs"
            label={t('filter')}
            maxLength={200}
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
        </div>
      )}
      {found.length === 0 ? (
        <p className="section-note dimmed">{rows.length === 0 ? none : t('nothing_found')}</p>
      ) : (
        <Rows {...table} title={title} rows={found.slice(0, shown)} />
      )}
      {found.length > shown && (
        <div className="section-end">
          <Button size="xs" variant="default" onClick={() => setShown(shown + SHOWN)}>
            {textsOf('parts')('show_more')}
          </Button>
        </div>
      )}
    </section>
  )
}

type RowsProps<Row> = Pick<Props<Row>, 'title' | 'rows' | 'columns' | 'keyOf' | 'nameOf' | 'onEdit' | 'onRemove'>

function Rows<Row>({ title, rows, columns, keyOf, nameOf, onEdit, onRemove }: RowsProps<Row>) {
  const t = textsOf('admin.ranking.list')
  return (
    <RecordTable
      label={title}
      rows={rows}
      keyOf={keyOf}
      columns={columns}
      action={(row) => (
        <div className="row-actions">
          {onEdit !== undefined && (
            <Button
              variant="subtle"
              size="compact-sm"
              aria-label={t('edit_of', { name: nameOf(row) })}
              onClick={() => onEdit(row)}
            >
              {textsOf('parts')('edit')}
            </Button>
          )}
          <EndButton
            label={textsOf('parts')('remove')}
            longLabel={t('remove_of', { name: nameOf(row) })}
            onClick={() => onRemove(row)}
          />
        </div>
      )}
    />
  )
}
