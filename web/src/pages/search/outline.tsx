// The headings of a document, and the section that a heading jumps to.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { getDocumentOutline } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { safeHref } from '../../parts/safe-link.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import './outline.css'

/** The preview follows the focus, so only a document that stays in it is asked for. */
const SETTLED_MS = 400

interface OutlineProps {
  document: string
  current: number | null
  onJump: (section: number) => void
}

/** Shows nothing for a document without headings. It is the last part of the preview, so that nothing moves. */
export function Outline({ document, current, onJump }: OutlineProps) {
  const t = textsOf('search.outline')
  const { data } = useQuery({
    queryKey: ['outline', document],
    queryFn: ({ signal }) => getDocumentOutline(api, { document_id: document, signal }),
    enabled: useIsSettled(),
    staleTime: 60_000,
  })
  if (data === undefined || data.headings.length === 0) return null
  return (
    <nav className="outline" aria-label={t('title')}>
      <h3>{t('title')}</h3>
      <ol>
        {data.headings.map(({ section, heading }) => (
          <li key={section}>
            <button
              type="button"
              dir="auto"
              aria-current={section === current ? 'true' : undefined}
              onClick={() => onJump(section)}
            >
              {heading}
            </button>
          </li>
        ))}
      </ol>
      {data.has_more && <p className="dimmed small">{t('has_more')}</p>}
    </nav>
  )
}

function useIsSettled(): boolean {
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [])
  return isSettled
}

interface SectionProps {
  document: string
  section: number
  onBack: () => void
}

export function SectionText({ document, section, onBack }: SectionProps) {
  const t = textsOf('search.outline')
  const box = useRef<HTMLElement>(null)
  const answer = useQuery({
    queryKey: ['outline', document, section],
    queryFn: ({ signal }) => getDocumentOutline(api, { document_id: document, section, signal }),
    staleTime: 60_000,
  })
  const shown = answer.data?.section
  // biome-ignore lint/correctness/useExhaustiveDependencies: each jump moves the focus to its section.
  useEffect(() => {
    if (shown == null) return
    box.current?.focus({ preventScroll: true })
    box.current?.scrollIntoView({ block: 'nearest' })
    if (box.current !== null) box.current.scrollTop = 0
  }, [section, shown === undefined])
  const href = safeHref(shown?.link)
  return (
    <div>
      {answer.isPending && <LoadingSkeleton lines={4} />}
      {answer.isError && <ErrorAlert error={answer.error} retry={() => void answer.refetch()} />}
      {shown === null && <p className="dimmed small">{t('gone')}</p>}
      {shown != null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        <section ref={box} className="passage" dir="auto" aria-label={shown.heading ?? t('section')} tabIndex={0}>
          <b>{shown.heading}</b>
          {`\n${shown.text}`}
          {shown.is_shortened && <span className="dimmed">{`\n${t('shortened')}`}</span>}
        </section>
      )}
      <div className="row section-actions">
        <Button variant="subtle" size="compact-sm" leftSection={<Icon name="back" size={14} />} onClick={onBack}>
          {t('back')}
        </Button>
        {href !== undefined && (
          <a className="small" href={href} target="_blank" rel="noopener noreferrer">
            {t('open_here')}
          </a>
        )}
      </div>
    </div>
  )
}
