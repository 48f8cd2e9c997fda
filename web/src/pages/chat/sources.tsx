// The sources of an answer: cited documents by citation number, then the other documents found.
import { useEffect, useRef } from 'react'
import type { SearchDoc } from '../../../../src/client/schemas.ts'
import { fact } from '../../parts/fact.ts'
import { Icon } from '../../parts/icon.tsx'
import { documentHref, isOwnLink, safeHref } from '../../parts/safe-link.ts'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { listText, sourceLabel, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import type { Answer } from './answer.ts'
import type { Citation } from './wire.ts'

interface CitedSource {
  document: SearchDoc
  citations: readonly Citation[]
}

type AnswerSources = Pick<Answer, 'citations' | 'documents'>

export function splitSources({ citations, documents }: AnswerSources): { cited: CitedSource[]; others: SearchDoc[] } {
  const numbered = [...citations.values()].sort((a, b) => a.citation_number - b.citation_number)
  const byDocument = Map.groupBy(numbered, (it) => it.document_id)
  const cited = [...byDocument].flatMap(([id, some]) => {
    const document = documents.find((it) => it.document_id === id)
    return document === undefined ? [] : [{ document, citations: some }]
  })
  return { cited, others: documents.filter((it) => !byDocument.has(it.document_id)) }
}

interface Props {
  answer: AnswerSources
  /** The number of the citation to highlight. */
  shown: number | null
}

export function Sources({ answer, shown }: Props) {
  const t = textsOf('chat.sources')
  const { cited, others } = splitSources(answer)
  return (
    <div className="sources">
      {cited.length > 0 && (
        <ol className="source-list" aria-label={t('cited')}>
          {cited.map((it) => (
            <SourceCard
              key={it.document.document_id}
              source={it}
              isShown={it.citations.some(({ citation_number }) => citation_number === shown)}
            />
          ))}
        </ol>
      )}
      {others.length > 0 && (
        <details className="source-others" open={cited.length === 0}>
          <summary>{t(cited.length === 0 ? 'found' : 'also_found', { count: others.length })}</summary>
          <ol className="source-list" aria-label={t('others')}>
            {others.map((it) => (
              <SourceCard key={it.document_id} source={{ document: it, citations: [] }} isShown={false} />
            ))}
          </ol>
        </details>
      )}
    </div>
  )
}

function SourceCard({ source: { document, citations }, isShown }: { source: CitedSource; isShown: boolean }) {
  const card = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isShown) card.current?.scrollIntoView({ block: 'nearest' })
  }, [isShown])
  const quoted = citations.filter((it) => it.quote)
  return (
    <li ref={card} className={isShown ? 'source source-shown' : 'source'} aria-current={isShown ? 'true' : undefined}>
      <div className="source-place">
        {citations.map(({ citation_number }) => (
          <span className="cite cite-still" key={citation_number}>
            {citation_number}
          </span>
        ))}
        <SourceIcon source={document.source_type} size={20} />
        <span>{sourceLabel(document.source_type)}</span>
        {document.updated_at !== null && (
          <span>
            · <Time at={document.updated_at} />
          </span>
        )}
      </div>
      <h3 className="source-title">
        <SourceLink href={hrefOf(document, citations[0])}>{document.semantic_identifier}</SourceLink>
      </h3>
      {quoted.length === 0 && document.blurb !== '' && (
        <p className="source-blurb" dir="auto">
          {document.blurb}
        </p>
      )}
      {quoted.map((it) => (
        <blockquote className="source-quote" dir="auto" key={it.citation_number}>
          {it.quote}
          {quoted.length > 1 && safeHref(it.link) !== undefined && (
            <>
              {' '}
              <SourceLink href={safeHref(it.link)}>
                {it.citation_number} <Icon name="open" size={13} />
              </SourceLink>
            </>
          )}
        </blockquote>
      ))}
      <SourceDetails document={document} />
    </li>
  )
}

const hrefOf = (document: SearchDoc, citation: Citation | undefined): string | undefined =>
  citation?.link == null
    ? documentHref({ ...document, ...(citation?.chunk_ind != null && { chunk_ind: citation.chunk_ind }) })
    : safeHref(citation.link)

function SourceLink({ href, children }: { href: string | undefined; children: React.ReactNode }) {
  if (href === undefined) return <bdi>{children}</bdi>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      <bdi>{children}</bdi>
    </a>
  )
}

function SourceDetails({
  document: { document_id, metadata, primary_owners, secondary_owners, link },
}: {
  document: SearchDoc
}) {
  const t = textsOf('chat.sources')
  const people = [...primary_owners, ...secondary_owners]
  const rows: [string, string][] = [
    ...(people.length > 0 ? [fact(t('people'), listText(people))] : []),
    ...Object.entries(metadata).map(([name, value]) => fact(name, listText([value].flat()))),
    ...(link === null || isOwnLink(link) ? [] : [fact(t('address'), link)]),
    [t('document'), document_id],
  ]
  return (
    <details className="source-facts">
      <summary>{t('details')}</summary>
      <dl className="preview-facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt dir="auto">{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
