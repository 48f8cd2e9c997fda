// Near duplicates of a result, folded until they are opened.
import { Button } from '@mantine/core'
import { documentHref } from '../../parts/safe-link.ts'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { sourceLabel, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { placeOf } from './place.ts'
import type { Hit } from './use-results.ts'
import './similar.css'

interface Props {
  hits: readonly Hit[]
  /** May be larger than the number of hits. */
  count: number
  /** One of them is in the preview. */
  isOpen: boolean
  onPreview: (hit: Hit) => void
  onOpen: (hit: Hit) => void
}

export const SimilarResults = ({ hits, count, isOpen, onPreview, onOpen }: Props) => (
  <details className="similar" open={isOpen || undefined}>
    <summary>{textsOf('search.results')('similar', { count })}</summary>
    <ul>
      {hits.map((hit) => (
        <Copy key={hit.document_id} hit={hit} onPreview={onPreview} onOpen={onOpen} />
      ))}
    </ul>
  </details>
)

function Copy({ hit, onPreview, onOpen }: Pick<Props, 'onPreview' | 'onOpen'> & { hit: Hit }) {
  const t = textsOf('search.results')
  const href = documentHref(hit)
  const place = placeOf(hit) ?? hit.document_id
  return (
    <li>
      <SourceIcon source={hit.source_type} size={22} />
      <span className="similar-place">
        {href === undefined ? (
          <bdi>{place}</bdi>
        ) : (
          <a href={href} target="_blank" rel="noopener noreferrer" onClick={() => onOpen(hit)}>
            <bdi>{place}</bdi>
          </a>
        )}
        <span className="dimmed">
          {sourceLabel(hit.source_type)}
          {hit.doc_updated_at !== null && (
            <>
              {' · '}
              {t.rich('updated', { time: () => <Time at={hit.doc_updated_at} /> })}
            </>
          )}
        </span>
      </span>
      <Button
        variant="subtle"
        size="compact-xs"
        aria-label={t('preview_of', { title: place })}
        onClick={() => onPreview(hit)}
      >
        {t('preview')}
      </Button>
    </li>
  )
}
