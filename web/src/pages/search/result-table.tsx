// A match in a table: the names of its columns and the rows that match.
import { TableFrame } from '../../parts/table-frame.tsx'
import { HighlightedText } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import './result-table.css'
import type { Hit } from './use-results.ts'

type Table = NonNullable<Hit['table']>
type Cell = Table['header'][number]

export const ResultTable = ({ title, table: { header, rows } }: { title: string; table: Table }) => (
  <div className="result-table">
    <TableFrame label={textsOf('search.results')('table_of', { title })}>
      <table>
        <thead>
          <tr>
            {header.map((cell, at) => (
              <ColumnName key={keyOf(at)} cell={cell} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={keyOf(row)}>
              {cells.map((cell, at) => (
                <td key={keyOf(at)} dir="auto">
                  <CellText cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  </div>
)

/** Rows and columns have nothing but their places, and they never move. */
const keyOf = (place: number): string => `${place}`

/** The corner above the names of rows may be empty. */
const ColumnName = ({ cell }: { cell: Cell }) =>
  cell.text === '' ? (
    <td />
  ) : (
    <th scope="col" dir="auto">
      <CellText cell={cell} />
    </th>
  )

const CellText = ({ cell }: { cell: Cell }) => <HighlightedText text={cell.text} spans={cell.highlights} />
