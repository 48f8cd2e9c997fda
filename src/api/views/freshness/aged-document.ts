// Documents by age, as the stale report and the list of own documents show them.
import { z } from 'zod'
import { ownerDisplayName } from '../../../domain/document.ts'
import type { DocumentVerification } from '../../../domain/freshness/verification.ts'
import { displayLink, displayTitle } from '../../../domain/values/display-text.ts'
import type { AgedDocument } from '../../../store/freshness/stale-documents.ts'
import { iso } from '../../wire/iso.ts'
import { verificationField, verificationView } from './verification.ts'

const MAX_OWNERS = 10

export const agedFields = {
  document_id: z.string(),
  semantic_identifier: z.string(),
  source_type: z.string(),
  link: z.string().nullable(),
  primary_owners: z.array(z.string()).describe(`Display names, or email addresses; at most ${MAX_OWNERS}.`),
  last_changed_at: z.iso
    .datetime()
    .describe('When it changed in its source; if the source does not tell, when it was accepted.'),
  verification: verificationField,
}

export const agedDocumentView = (
  { id, source, ...document }: AgedDocument,
  verification: DocumentVerification | undefined,
  now: number,
) => ({
  document_id: id,
  semantic_identifier: displayTitle(document.semantic_identifier),
  source_type: source,
  link: displayLink(document.link),
  primary_owners: document.primary_owners.slice(0, MAX_OWNERS).map(ownerDisplayName),
  last_changed_at: iso(document.changed_at),
  verification: verificationView(verification, now),
})
