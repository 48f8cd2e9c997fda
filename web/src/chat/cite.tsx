// The number of a citation in the text: it opens the source at the passage, and shows it beside the answer.
import { createContext, useContext } from 'react'
import { safeHref } from '../parts/link.ts'
import type { Answer } from './answer.ts'

export interface CiteContext {
  answer: Pick<Answer, 'citations' | 'documents' | 'stop_reason'>
  /** Shows the source of that number; `isChosen`: and goes there. */
  onShow: (number: number, isChosen: boolean) => void
}

export const Cites = createContext<CiteContext | null>(null)

export function Cite({ number }: { number: number }) {
  const context = useContext(Cites)
  const citation = context?.answer.citations.get(number)
  // What the service does not vouch for is no citation, whatever the text says.
  if (context === null || citation === undefined) return null
  const document = context.answer.documents.find((it) => it.document_id === citation.document_id)
  const label = `Source ${number}: ${document?.semantic_identifier ?? citation.document_id}`
  const show = () => context.onShow(number, false)
  const href = safeHref(citation.link ?? document?.link)
  const props = { className: 'cite', 'aria-label': label, title: label, onFocus: show, onPointerEnter: show }
  if (href === undefined) {
    return (
      <button type="button" {...props} onClick={() => context.onShow(number, true)}>
        {number}
      </button>
    )
  }
  return (
    <a {...props} href={href} target="_blank" rel="noopener noreferrer">
      {number}
    </a>
  )
}
