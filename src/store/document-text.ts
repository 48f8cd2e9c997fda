// What a document says, for somebody who may read it.
import { type Access, mayRead, tokensOf } from '../domain/access.ts'
import type { Section } from '../domain/document.ts'
import { AppError } from '../domain/errors.ts'
import type { Queries } from './database.ts'
import { type DocumentSummary, findDocuments } from './documents.ts'

export interface ReadDocument extends DocumentSummary {
  /** All sections with their headings, an empty line between them. */
  text: string
}

/** One that is closed to the reader is DOCUMENT_NOT_FOUND, as one that is not there. */
export async function readDocument(db: Queries, access: Access, id: string): Promise<ReadDocument> {
  const [document] = await findDocuments(db, [id])
  if (document === undefined || !mayRead(access, tokensOf(document.external_access, document.cc_pair_ids)))
    throw new AppError('DOCUMENT_NOT_FOUND')
  const row = await db.selectFrom('document').select('sections').where('id', '=', id).executeTakeFirst()
  const sections: Section[] = JSON.parse(row?.sections ?? '[]')
  return { ...document, text: sections.map(textOf).filter(Boolean).join('\n\n') }
}

const textOf = ({ heading, text }: Section) => [heading, text].filter(Boolean).join('\n')
