// A citation number in the text. It shows the passage in the list of sources, beside the answer; with Ctrl or the middle
// button it opens the source itself.
import { createContext, useContext } from 'react'
import { documentHref, safeHref } from '../../parts/safe-link.ts'
import { textsOf } from '../../text/texts.ts'
import type { Answer } from './answer.ts'
import type { Citation } from './wire.ts'

export interface CitationContextValue {
  answer: Pick<Answer, 'citations' | 'documents' | 'stop_reason'>
  /** Highlights the source with this number; `isChosen` also opens the source list. */
  onShow: (number: number, isChosen: boolean) => void
}

export const CitationContext = createContext<CitationContextValue | null>(null)

/** The passage that is cited; chats that are stored for longer do not have it. */
const chunkOf = ({ chunk_ind }: Citation) => (chunk_ind == null ? {} : { chunk_ind })

export function CitationLink({ number }: { number: number }) {
  const context = useContext(CitationContext)
  const citation = context?.answer.citations.get(number)
  // Only citations that the service has verified become links, whatever the text says.
  if (context === null || citation === undefined) return null
  const document = context.answer.documents.find((it) => it.document_id === citation.document_id)
  const title = document?.semantic_identifier ?? citation.document_id
  const label = textsOf('chat.answer')('source', { number, title })
  const show = () => context.onShow(number, false)
  const href =
    citation.link == null ? document && documentHref({ ...document, ...chunkOf(citation) }) : safeHref(citation.link)
  const props = { className: 'cite', 'aria-label': label, title: label, onFocus: show, onPointerEnter: show }
  if (href === undefined) {
    return (
      <button type="button" {...props} onClick={() => context.onShow(number, true)}>
        {number}
      </button>
    )
  }
  return (
    <a
      {...props}
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        context.onShow(number, true)
      }}
    >
      {number}
    </a>
  )
}
