import { Button } from '@mantine/core'
import { safeHref } from '../../parts/safe-link.ts'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { findSpans } from '../../parts/spans.ts'
import { HighlightedText, listText, sourceLabel, Time } from '../../parts/text.tsx'
import { VerificationMark } from '../../parts/verification/verification-mark.tsx'
import { textsOf } from '../../text/texts.ts'
import { hitName } from './hit-name.ts'
import { otherMetadata, placeOf } from './place.ts'
import { ResultTable } from './result-table.tsx'
import { SimilarResults } from './similar-results.tsx'
import type { FoldedHit, Hit } from './use-results.ts'

interface Props {
  hits: readonly FoldedHit[]
  selected: string | undefined
  /** Null when the preview is not shown next to the list. */
  onFocus: ((hit: Hit) => void) | null
  onPreview: (hit: Hit) => void
  onOpen: (hit: Hit) => void
}

export const ResultList = ({ hits, selected, onFocus, onPreview, onOpen }: Props) => (
  <ol className="results" aria-label={textsOf('search.results')('label')}>
    {hits.map((hit) => (
      <Result
        key={`${hit.document_id} ${hit.chunk_ind}`}
        hit={hit}
        selected={selected}
        onFocus={onFocus}
        onPreview={onPreview}
        onOpen={onOpen}
      />
    ))}
  </ol>
)

const MAX_OWNERS = 2
const MAX_METADATA = 3

/** The middle mouse button opens a link in a new tab. */
export const MIDDLE_BUTTON = 1

/** The matched words as spelled in the snippet. */
export const matchedWords = ({ blurb, highlights }: Pick<Hit, 'blurb' | 'highlights'>): string[] =>
  highlights.map(([from = 0, to = 0]) => blurb.slice(from, to))

interface ResultProps extends Pick<Props, 'onFocus' | 'onPreview' | 'onOpen'> {
  hit: FoldedHit
  selected: string | undefined
}

function Result({ hit, selected, onFocus, onPreview, onOpen }: ResultProps) {
  const isSelected = hit.document_id === selected
  const t = textsOf('search.results')
  const href = safeHref(hit.link)
  const place = placeOf(hit)
  const title = (
    <bdi>
      <HighlightedText text={hitName(hit)} spans={findSpans(matchedWords(hit), hitName(hit))} />
    </bdi>
  )
  return (
    <li className={isSelected ? 'result result-selected' : 'result'} aria-current={isSelected ? 'true' : undefined}>
      <div className="result-place">
        <SourceIcon source={hit.source_type} size={22} />
        <span className="result-source" dir="auto">
          {sourceLabel(hit.source_type)}
        </span>
        {place !== null && <bdi className="result-path">{place}</bdi>}
      </div>
      <h2 className="result-title" dir="auto">
        {href === undefined ? (
          <button
            type="button"
            data-result
            onFocus={() => onFocus?.(hit)}
            onClick={() => {
              onOpen(hit)
              onPreview(hit)
            }}
          >
            {title}
          </button>
        ) : (
          <a
            href={href}
            target="_blank"
            rel="noopener noreferrer"
            data-result
            onFocus={() => onFocus?.(hit)}
            onClick={() => onOpen(hit)}
            onAuxClick={({ button }) => button === MIDDLE_BUTTON && onOpen(hit)}
          >
            {title}
          </a>
        )}
      </h2>
      {hit.table === null ? (
        <p className="result-blurb" dir="auto">
          <HighlightedText text={hit.blurb} spans={hit.highlights} />
        </p>
      ) : (
        <ResultTable title={hitName(hit)} table={hit.table} />
      )}
      <div className="result-meta">
        {hit.verification !== null && hit.verification.state !== 'expired' && (
          <VerificationMark verification={hit.verification} />
        )}
        {hit.doc_updated_at !== null && (
          <span>{t.rich('updated', { time: () => <Time at={hit.doc_updated_at} /> })}</span>
        )}
        {hit.primary_owners.length > 0 && (
          <bdi>{t('by', { people: listText(hit.primary_owners.slice(0, MAX_OWNERS)) })}</bdi>
        )}
        {otherMetadata(hit)
          .slice(0, MAX_METADATA)
          .map(([name, value]) => (
            <bdi className="result-tag" key={name}>
              {sourceLabel(name)}: {listText([value].flat())}
            </bdi>
          ))}
        <Button
          variant="subtle"
          size="compact-xs"
          className="result-preview"
          aria-label={t('preview_of', { title: hitName(hit) })}
          // Next to the list the preview follows the focus, so the button needs no tab stop of its own.
          tabIndex={onFocus === null ? undefined : -1}
          onClick={() => onPreview(hit)}
        >
          {t('preview')}
        </Button>
      </div>
      {hit.similar !== null && hit.similar.length > 0 && (
        <SimilarResults
          hits={hit.similar}
          count={hit.similar_count ?? hit.similar.length}
          isOpen={hit.similar.some((it) => it.document_id === selected)}
          onPreview={onPreview}
          onOpen={onOpen}
        />
      )}
    </li>
  )
}
