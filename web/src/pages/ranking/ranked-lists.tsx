// Two rankings of one query side by side, with what moved.
import { Badge } from '@mantine/core'
import { safeHref } from '../../parts/safe-link.ts'
import { sourceLabel, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

export interface RankedDocument {
  document_id: string
  semantic_identifier: string
  /** Null when nobody judged it for the query. */
  grade: number | null
  source_type?: string
  link?: string | null
  doc_updated_at?: string | null
}

interface Props {
  current: readonly RankedDocument[]
  /** Null when nothing is changed. */
  changed: readonly RankedDocument[] | null
}

export function RankedLists({ current, changed }: Props) {
  const t = textsOf('admin.ranking.lists')
  return (
    <div className="ranked-lists">
      <RankedList title={t('current')} documents={current} />
      {changed !== null && <RankedList title={t('changed')} documents={changed} before={current} />}
    </div>
  )
}

interface ListProps {
  title: string
  documents: readonly RankedDocument[]
  /** The list before the change: then the list says what moved. */
  before?: readonly RankedDocument[]
}

function RankedList({ title, documents, before }: ListProps) {
  const t = textsOf('admin.ranking.lists')
  return (
    <div>
      <h3>{title}</h3>
      {documents.length === 0 ? (
        <p className="dimmed">{t('empty')}</p>
      ) : (
        <ol className="ranked-list" aria-label={title}>
          {documents.map((it, at) => (
            <li key={it.document_id}>
              <Ranked document={it} />
              {before !== undefined && (
                <Move from={before.findIndex((own) => own.document_id === it.document_id)} to={at} />
              )}
            </li>
          ))}
        </ol>
      )}
      {before !== undefined && <Lost before={before} after={documents} />}
    </div>
  )
}

function Ranked({ document }: { document: RankedDocument }) {
  const t = textsOf('admin.ranking.lists')
  const { semantic_identifier, grade, source_type, doc_updated_at = null } = document
  const href = safeHref(document.link ?? null)
  const title = <bdi>{semantic_identifier}</bdi>
  return (
    <div className="ranking-word">
      {href === undefined ? (
        title
      ) : (
        <a href={href} target="_blank" rel="noopener noreferrer">
          {title}
        </a>
      )}
      {(source_type !== undefined || grade !== null) && (
        <div className="small dimmed ranked-facts">
          {source_type !== undefined && <span>{sourceLabel(source_type)}</span>}
          {doc_updated_at !== null && <Time at={doc_updated_at} />}
          {grade !== null && (
            <Badge size="sm" variant="light" tt="none" color={grade > 1 ? 'green' : grade === 1 ? 'blue' : 'gray'}>
              {t('grade', { grade })}
            </Badge>
          )}
        </div>
      )}
    </div>
  )
}

function Move({ from, to }: { from: number; to: number }) {
  const t = textsOf('admin.ranking.lists')
  if (from === to) return null
  if (from === -1) return <span className="ranked-move ranked-up">{t('new')}</span>
  const count = Math.abs(from - to)
  return from > to ? (
    <span className="ranked-move ranked-up">
      <span aria-hidden="true">{t('up_short', { count })}</span>
      <span className="sr-only">{t('up', { count })}</span>
    </span>
  ) : (
    <span className="ranked-move ranked-down">
      <span aria-hidden="true">{t('down_short', { count })}</span>
      <span className="sr-only">{t('down', { count })}</span>
    </span>
  )
}

/** How many documents are no longer among the first. */
function Lost({ before, after }: { before: readonly RankedDocument[]; after: readonly RankedDocument[] }) {
  const ids = new Set(after.map((it) => it.document_id))
  const count = before.filter((it) => !ids.has(it.document_id)).length
  if (count === 0) return null
  return <p className="small dimmed">{textsOf('admin.ranking.lists')('lost', { count })}</p>
}
