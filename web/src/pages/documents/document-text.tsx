// The text of a document as it was extracted, section by section.
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { listDocumentSections } from '../../../../src/client/operations.ts'
import type { DocumentSectionPage } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { safeHref } from '../../parts/safe-link.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { TextClosed } from './text-closed.tsx'

const CHARACTERS = 20_000
type Part = DocumentSectionPage['items'][number]

/** The beginning of the text. */
const firstPage = (): string | null => null

export function DocumentText({ document_id, isOpen }: { document_id: string; isOpen: boolean }) {
  const t = textsOf('admin.documents.text')
  const text = useInfiniteQuery({
    queryKey: ['receipts', 'text', document_id],
    queryFn: ({ signal, pageParam }) =>
      listDocumentSections(api, { document_id, limit: CHARACTERS, after: pageParam, signal }),
    initialPageParam: firstPage(),
    getNextPageParam: (last) => last.next_after,
    enabled: isOpen,
  })
  if (!isOpen) return <TextClosed />
  if (text.isError) return <ErrorAlert error={text.error} retry={() => void text.refetch()} />
  if (text.isPending) return <LoadingSkeleton lines={8} />
  const [first] = text.data.pages
  const parts = joinParts(text.data.pages.flatMap((it) => it.items))
  return (
    <section className="card card-pad stack" aria-labelledby="text">
      <h2 id="text">{t('title')}</h2>
      <p className="dimmed small">
        {first === undefined || first.characters === 0
          ? t('empty')
          : t('size', { sections: first.sections, characters: first.characters })}
      </p>
      {parts.map((it) => (
        <Section key={it.section} part={it} />
      ))}
      {text.hasNextPage && (
        <div>
          <Button
            variant="default"
            size="xs"
            loading={text.isFetchingNextPage}
            onClick={() => void text.fetchNextPage()}
          >
            {textsOf('parts')('show_more')}
          </Button>
        </div>
      )}
    </section>
  )
}

/** A section that continues on the next page is one again. */
function joinParts(parts: readonly Part[]): Part[] {
  const bySection = Map.groupBy(parts, (it) => it.section)
  return [...bySection.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, text: [first, ...others].map((it) => it.text).join('') }],
  )
}

function Section({ part }: { part: Part }) {
  const { section, heading, link, text, image_file_name, recognition_confidence, made_by_model } = part
  const t = textsOf('admin.documents.text')
  const href = safeHref(link)
  return (
    <section className="document-section" aria-label={t('section', { number: section + 1 })}>
      <div className="document-section-head small dimmed">
        <span>{t('section', { number: section + 1 })}</span>
        {image_file_name !== null && <bdi>{image_file_name}</bdi>}
        {recognition_confidence !== null && <span>{t(`recognised.${gradeOf(recognition_confidence)}`)}</span>}
        {made_by_model !== null && <span>{t(`made_by_model.${made_by_model}`)}</span>}
        {href !== undefined && (
          <a href={href} target="_blank" rel="noopener noreferrer">
            {t('open_section')}
          </a>
        )}
      </div>
      {heading !== null && heading !== '' && <h3 dir="auto">{heading}</h3>}
      <p className="document-text" dir="auto">
        {text}
      </p>
    </section>
  )
}

/** Measured on scans and photographs: docs/decisions/0176-text-in-pictures.md. */
function gradeOf(confidence: number): 'good' | 'fair' | 'poor' {
  if (confidence > 0.98) return 'good'
  return confidence >= 0.93 ? 'fair' : 'poor'
}
