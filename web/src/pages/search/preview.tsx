import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { CopyButton } from '../../parts/copy.tsx'
import { fact } from '../../parts/fact.ts'
import { Icon } from '../../parts/icon.tsx'
import { documentHref } from '../../parts/safe-link.ts'
import { findSpans } from '../../parts/spans.ts'
import { exactTime, HighlightedText, listText, sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { Explanation } from './explanation.tsx'
import { Outline, SectionText } from './outline.tsx'
import { ResultFeedback } from './result-feedback.tsx'
import { MIDDLE_BUTTON, matchedWords } from './result-list.tsx'
import type { FeedbackKind } from './use-feedback.ts'
import type { Hit } from './use-results.ts'

interface Props {
  hit: Hit
  query: string
  onFeedback: (kind: FeedbackKind) => Promise<boolean>
}

export function Preview({ hit, query, onFeedback }: Props) {
  const t = textsOf('search.preview')
  const href = documentHref(hit)
  const [jumped, setJumped] = useState<number | null>(null)
  return (
    <div className="preview-body">
      <div className="row">
        {href !== undefined && (
          <Button
            component="a"
            href={href}
            target="_blank"
            rel="noopener noreferrer"
            onClick={() => void onFeedback('click')}
            onAuxClick={({ button }) => void (button === MIDDLE_BUTTON && onFeedback('click'))}
            size="xs"
            leftSection={<Icon name="open" size={15} />}
          >
            {t('open')}
          </Button>
        )}
        <CopyButton text={href ?? window.location.href} label={t('copy_link')} />
      </div>
      <ResultFeedback key={`${hit.document_id} ${query}`} onFeedback={onFeedback} />
      {jumped === null ? (
        <Passage key={`${hit.document_id} ${hit.chunk_ind} ${query}`} passage={hit} />
      ) : (
        <SectionText document={hit.document_id} section={jumped} onBack={() => setJumped(null)} />
      )}
      {hit.passages.length > 0 && (
        <details className="why">
          <summary>{t('further', { count: hit.passages.length })}</summary>
          {hit.passages.map((it) => (
            <Passage key={`${hit.document_id} ${it.chunk_ind} ${query}`} passage={it} />
          ))}
        </details>
      )}
      <Explanation hit={hit} />
      <dl className="preview-facts">
        {factsOf(hit).map(([name, value]) => (
          <div key={name}>
            <dt dir="auto">{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
        <div>
          <dt>{t('document')}</dt>
          <dd>
            {t.rich('position', {
              id: hit.document_id,
              number: hit.chunk_ind + 1,
              code: (it) => <code dir="auto">{it}</code>,
            })}
          </dd>
        </div>
      </dl>
      <Outline document={hit.document_id} current={jumped} onJump={setJumped} />
    </div>
  )
}

/** Facts that the source gives about the document. */
function factsOf({ source_type, doc_updated_at, primary_owners, metadata }: Hit): [name: string, value: string][] {
  const t = textsOf('search.preview')
  return [
    [t('source'), sourceLabel(source_type)],
    ...(doc_updated_at === null ? [] : [fact(t('updated'), exactTime(doc_updated_at))]),
    ...(primary_owners.length === 0 ? [] : [fact(t('people'), listText(primary_owners))]),
    ...Object.entries(metadata).map(([name, value]) => fact(sourceLabel(name), listText([value].flat()))),
  ]
}

type PassageProps = { passage: Pick<Hit, 'chunk_ind' | 'content' | 'blurb' | 'highlights'> }

/** Scrolls to the first matched word. */
function Passage({ passage: { chunk_ind, content, blurb, highlights } }: PassageProps) {
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    const mark = section.current?.querySelector('mark')
    if (section.current == null || mark == null) return
    const below = mark.getBoundingClientRect().top - section.current.getBoundingClientRect().top
    section.current.scrollTop = Math.max(0, below - section.current.clientHeight / 3)
  }, [])
  return (
    <section
      ref={section}
      className="passage"
      dir="auto"
      aria-label={textsOf('search.preview')('passage', { number: chunk_ind + 1 })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
      tabIndex={0}
    >
      <HighlightedText text={content} spans={findSpans(matchedWords({ blurb, highlights }), content)} />
    </section>
  )
}
