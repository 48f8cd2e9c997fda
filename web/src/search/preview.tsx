import { Button } from '@mantine/core'
import { Icon } from '../parts/icon.tsx'
import { safeHref } from '../parts/link.ts'
import { Marked, sourceLabel, spansOf, Time } from '../parts/text.tsx'
import { Fits } from './fits.tsx'
import { MIDDLE, matchedWords } from './result-list.tsx'
import type { Kind } from './use-feedback.ts'
import type { Hit } from './use-results.ts'
import { Why } from './why.tsx'

interface Props {
  hit: Hit
  question: string
  onSay: (kind: Kind) => Promise<boolean>
}

export function Preview({ hit, question, onSay }: Props) {
  const href = safeHref(hit.link)
  return (
    <div className="preview-body">
      <div className="row">
        {href !== undefined && (
          <Button
            component="a"
            href={href}
            target="_blank"
            rel="noopener noreferrer"
            onClick={() => void onSay('click')}
            onAuxClick={({ button }) => void (button === MIDDLE && onSay('click'))}
            size="xs"
            leftSection={<Icon name="open" size={15} />}
          >
            Open
          </Button>
        )}
        <span className="dimmed small">
          {sourceLabel(hit.source_type)} · updated <Time at={hit.updated_at} none="at an unknown time" />
        </span>
      </div>
      <Fits key={`${hit.document_id} ${question}`} onSay={onSay} />
      {[hit, ...hit.passages].map((it) => (
        <section
          className="passage"
          key={it.chunk_ind}
          aria-label={`Passage ${it.chunk_ind + 1}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
          tabIndex={0}
        >
          <Marked text={it.content} spans={spansOf(matchedWords(it), it.content)} />
        </section>
      ))}
      <Why hit={hit} />
      <dl className="preview-facts">
        {Object.entries(hit.metadata).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{[value].flat().join(', ')}</dd>
          </div>
        ))}
        <div>
          <dt>Document</dt>
          <dd>
            <code>{hit.document_id}</code>, passage {hit.chunk_ind + 1}
          </dd>
        </div>
      </dl>
    </div>
  )
}
