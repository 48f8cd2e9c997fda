// The sections of a document, with the passage highlighted. Earlier and later text is added by buttons.
import { Alert, Button } from '@mantine/core'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { DocumentText } from '../../../../src/client/schemas.ts'
import { safeHref } from '../../parts/safe-link.ts'
import { HighlightedText } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { joinItems, type ReaderItem, spansIn } from './join-items.ts'

interface Props {
  /** The page with which the document was opened. */
  opened: DocumentText
  text: UseInfiniteQueryResult<InfiniteData<DocumentText>>
  /** The section that was asked for. */
  section: number | undefined
}

export function ReaderText({ opened, text, section }: Props) {
  const t = textsOf('reader')
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('mark, [data-opened]')?.scrollIntoView({ block: 'center' })
  }, [])
  const items = joinItems(text.data?.pages.flatMap((it) => it.items) ?? [])
  return (
    <>
      {opened.passage?.length === 0 && <Alert color="yellow">{t('gone')}</Alert>}
      {text.hasPreviousPage && (
        <TurnButton isLoading={text.isFetchingPreviousPage} onClick={() => void text.fetchPreviousPage()}>
          {t('earlier')}
        </TurnButton>
      )}
      <div ref={list} className="card card-pad reader-text">
        {items.every((it) => it.text === '' && it.heading === null) && <p className="dimmed">{t('empty')}</p>}
        {items.map((it) => (
          <Section key={it.section} item={it} passage={opened.passage ?? []} isOpened={it.section === section} />
        ))}
      </div>
      {text.hasNextPage && (
        <TurnButton isLoading={text.isFetchingNextPage} onClick={() => void text.fetchNextPage()}>
          {t('later')}
        </TurnButton>
      )}
    </>
  )
}

const TurnButton = (props: { isLoading: boolean; onClick: () => void; children: string }) => (
  <div>
    <Button variant="default" size="xs" loading={props.isLoading} onClick={props.onClick}>
      {props.children}
    </Button>
  </div>
)

interface SectionProps {
  item: ReaderItem
  passage: NonNullable<DocumentText['passage']>
  isOpened: boolean
}

function Section({ item, passage, isOpened }: SectionProps) {
  const { section, heading, place, link, text, made_by_model } = item
  const t = textsOf('reader')
  const href = safeHref(link)
  const name = place === null ? t('section', { number: section + 1 }) : t(`place.${place.kind}`, { name: place.name })
  const isPage = place?.kind === 'page'
  return (
    <section className="reader-section" aria-label={name} {...(isOpened && { 'data-opened': true })}>
      {(place !== null || href !== undefined || made_by_model !== null) && (
        <div className="reader-place small dimmed">
          {place !== null && <bdi>{name}</bdi>}
          {made_by_model !== null && <span>{t(`made_by_model.${made_by_model}`)}</span>}
          {href !== undefined && (
            <a href={href} target="_blank" rel="noopener noreferrer">
              {t(isPage ? 'open_page' : 'open_section')}
            </a>
          )}
        </div>
      )}
      {heading !== null && heading.trim() !== '' && <h2 dir="auto">{heading}</h2>}
      <p dir="auto">
        <HighlightedText text={text} spans={spansIn(item, passage)} />
      </p>
    </section>
  )
}
