import { useId } from 'react'
import { textsOf } from '../../text/texts.ts'

interface Props {
  title: string
  records: readonly { id: number; name: string }[]
}

/** Lists records that name the group and are changed elsewhere. */
export function NamedRecords({ title, records }: Props) {
  const id = useId()
  return (
    <section className="card card-pad stack" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {records.length === 0 ? (
        <p className="dimmed">{textsOf('parts')('none')}</p>
      ) : (
        <ul className="group-list long-text">
          {records.map((it) => (
            <li key={it.id}>
              <bdi>{it.name}</bdi>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
