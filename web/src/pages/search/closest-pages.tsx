// Shown when nothing answers the query: the pages that come nearest, and the way to all results.
import { Button } from '@mantine/core'
import { documentHref } from '../../parts/safe-link.ts'
import { EmptyState } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import type { SearchResults } from './use-results.ts'

interface Props {
  closest: SearchResults['closest']
  onAll: () => void
}

export function ClosestPages({ closest, onAll }: Props) {
  const t = textsOf('search.nothing')
  return (
    <>
      <EmptyState icon="search" title={t('no_match')}>
        {t('closest', { count: closest.length })}
      </EmptyState>
      <ul className="nothing-closest">
        {closest.map((it) => (
          <li key={it.document_id}>
            <PageLink page={it} />
          </li>
        ))}
      </ul>
      <div className="empty-action">
        <Button variant="default" onClick={onAll}>
          {t('show_all')}
        </Button>
      </div>
    </>
  )
}

function PageLink({ page }: { page: Props['closest'][number] }) {
  const { semantic_identifier } = page
  const href = documentHref(page)
  if (href === undefined) return <bdi>{semantic_identifier}</bdi>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      <bdi>{semantic_identifier}</bdi>
    </a>
  )
}
