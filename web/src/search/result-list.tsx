import { Button } from '@mantine/core'
import { placeOf, safeHref } from '../parts/link.ts'
import { Marked, sourceLabel, spansOf, Time } from '../parts/text.tsx'
import type { Hit } from './use-results.ts'

interface Props {
  hits: readonly Hit[]
  selected: string | undefined
  /** Null where the preview has no place beside the list. */
  onFocus: ((hit: Hit) => void) | null
  onPreview: (hit: Hit) => void
  onOpen: (hit: Hit) => void
}

export const ResultList = ({ hits, selected, onFocus, onPreview, onOpen }: Props) => (
  <ol className="results" aria-label="Results">
    {hits.map((hit) => (
      <Result
        key={`${hit.document_id} ${hit.chunk_ind}`}
        hit={hit}
        isSelected={hit.document_id === selected}
        onFocus={onFocus}
        onPreview={onPreview}
        onOpen={onOpen}
      />
    ))}
  </ol>
)

/** The button of the mouse that opens a link in a further tab. */
export const MIDDLE = 1

/** The words that matched, as they stand in the snippet. */
export const matchedWords = ({ blurb, highlights }: Pick<Hit, 'blurb' | 'highlights'>): string[] =>
  highlights.map(([from = 0, to = 0]) => blurb.slice(from, to))

interface ResultProps extends Pick<Props, 'onFocus' | 'onPreview' | 'onOpen'> {
  hit: Hit
  isSelected: boolean
}

function Result({ hit, isSelected, onFocus, onPreview, onOpen }: ResultProps) {
  const href = safeHref(hit.link)
  const title = <Marked text={hit.title} spans={spansOf(matchedWords(hit), hit.title)} />
  return (
    <li className={isSelected ? 'result result-selected' : 'result'} aria-current={isSelected ? 'true' : undefined}>
      <div className="result-place">
        <span className="result-source">{sourceLabel(hit.source_type)}</span>
        {href !== undefined && <span className="result-path">{placeOf(href)}</span>}
      </div>
      <h2 className="result-title">
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
            onAuxClick={({ button }) => button === MIDDLE && onOpen(hit)}
          >
            {title}
          </a>
        )}
      </h2>
      <p className="result-blurb">
        <Marked text={hit.blurb} spans={hit.highlights} />
      </p>
      <div className="result-meta">
        <span>
          Updated <Time at={hit.updated_at} none="at an unknown time" />
        </span>
        {Object.entries(hit.metadata)
          .slice(0, 3)
          .map(([name, value]) => (
            <span className="result-tag" key={name}>
              {name}: {[value].flat().join(', ')}
            </span>
          ))}
        <Button
          variant="subtle"
          size="compact-xs"
          className="result-preview"
          aria-label={`Preview ${hit.title}`}
          onClick={() => onPreview(hit)}
        >
          Preview
        </Button>
      </div>
    </li>
  )
}
