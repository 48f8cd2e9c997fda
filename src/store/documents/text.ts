// The text of a document for a reader with access to it.
import { type Access, documentAccessTokens, mayRead } from '../../domain/access.ts'
import type { DocumentSection } from '../../domain/document.ts'
import { AppError } from '../../domain/errors.ts'
import type { Queryable } from '../database/database.ts'
import { type DocumentSummary, findDocuments } from './documents.ts'

export interface DocumentWithText extends DocumentSummary {
  /** All sections with their headings, separated by empty lines. */
  text: string
}

/** DOCUMENT_NOT_FOUND: it does not exist or the reader has no access. */
export async function getDocumentWithText(db: Queryable, access: Access, id: string): Promise<DocumentWithText> {
  const { sections, ...document } = await getDocumentWithSections(db, access, id)
  return { ...document, text: sections.map(sectionText).filter(Boolean).join('\n\n') }
}

/** DOCUMENT_NOT_FOUND: it does not exist or the reader has no access. */
export async function getDocumentWithSections(
  db: Queryable,
  access: Access,
  id: string,
): Promise<DocumentSummary & { sections: DocumentSection[] }> {
  const [document] = await findDocuments(db, [id])
  if (document === undefined || !mayRead(access, documentAccessTokens(document.external_access, document.cc_pair_ids)))
    throw new AppError('DOCUMENT_NOT_FOUND')
  return { ...document, sections: await listSections(db, id) }
}

/** In their order; none if the document does not exist. */
export async function listSections(db: Queryable, id: string): Promise<DocumentSection[]> {
  const row = await db.selectFrom('document').select('sections').where('id', '=', id).executeTakeFirst()
  return JSON.parse(row?.sections ?? '[]')
}

const sectionText = ({ heading, text }: DocumentSection) => [heading, text].filter(Boolean).join('\n')
