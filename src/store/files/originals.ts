// The stored file of a document, for a person who may read both at this moment.
import { z } from 'zod'
import { type Access, documentAccessTokens, type ExternalAccess, mayRead } from '../../domain/access.ts'
import { FILE_DOCUMENT_PREFIX, uploadOfDocument } from '../../domain/originals/place-link.ts'
import type { Subject } from '../../domain/subject.ts'
import type { Queryable } from '../database/database.ts'
import { findDocuments } from '../documents/documents.ts'
import { listUserFiles, type StoredUserFile } from './user-files.ts'

export interface Original {
  file: StoredUserFile
  /** The document is a member of the file: of an archive, or an attachment of a mail. */
  isMember: boolean
}

/**
 * `unreadable`: there is no such document, it is hidden or in the trash, or the reader may not read it. `none`: Pharos
 * does not hold the file of the document. The id of an own upload, such as a file of a chat, is that of its document.
 */
export async function findOriginal(
  db: Queryable,
  reader: { subject: Pick<Subject, 'user_id'>; access: Access; mayReadUploads: boolean },
  id: string,
): Promise<Original | 'unreadable' | 'none'> {
  const [document] = await findDocuments(db, [id])
  if (document === undefined) {
    const [file] = reader.mayReadUploads ? await listUserFiles(db, reader.subject, [id]) : []
    return file === undefined ? 'unreadable' : { file, isMember: false }
  }
  if (!mayRead(reader.access, documentAccessTokens(document.external_access, document.cc_pair_ids))) return 'unreadable'
  return (await findDocumentFile(db, reader.access, document)) ?? 'none'
}

interface FileDocument {
  id: string
  external_access: ExternalAccess | null
  cc_pair_ids: readonly number[]
}

/**
 * Undefined unless a file connector that the reader may read made the document of one of its files. So a document that
 * was pushed under such an id, or that another connector has too, gives no access to a file. An archive with a member that
 * is hidden or in quarantine is not given, because it holds that member, too.
 */
export async function findDocumentFile(
  db: Queryable,
  access: Access,
  { id, external_access, cc_pair_ids }: FileDocument,
): Promise<Original | undefined> {
  const upload = uploadOfDocument(id)
  if (upload === null || cc_pair_ids.length === 0) return undefined
  const holders = await listHolders(db, { id, cc_pair_ids, file_id: upload.file_id })
  if (!mayRead(access, documentAccessTokens(external_access, holders)) || holders.length === 0) return undefined
  if (await holdsConcealed(db, holders, upload.file_id)) return undefined
  const file = await db.selectFrom('user_file').selectAll().where('id', '=', upload.file_id).executeTakeFirst()
  return file === undefined ? undefined : { file, isMember: upload.isMember }
}

/** The cc-pairs of the document whose connector reads the file. */
async function listHolders(
  db: Queryable,
  { id, cc_pair_ids, file_id }: Pick<FileDocument, 'id' | 'cc_pair_ids'> & { file_id: string },
): Promise<number[]> {
  const rows = await db
    .selectFrom('cc_pair')
    .innerJoin('connector', 'connector.id', 'cc_pair.connector_id')
    .select(['cc_pair.id', 'connector.connector_specific_config'])
    .where('cc_pair.id', 'in', cc_pair_ids)
    .where('connector.source', '=', 'file')
    .where((it) =>
      it.exists(it.selectFrom('document').select('id').where('id', '=', id).where('from_ingestion_api', '=', 0)),
    )
    .execute()
  return rows.filter((it) => fileIdsOf(it.connector_specific_config).includes(file_id)).map((it) => it.id)
}

/** Whether one of the documents that the cc-pairs made of the file is hidden or in quarantine. */
async function holdsConcealed(db: Queryable, holders: readonly number[], file_id: string): Promise<boolean> {
  const row = await db
    .selectFrom('document')
    .innerJoin('document_cc_pair', 'document_cc_pair.document_id', 'document.id')
    .select('document.id')
    .where('document_cc_pair.cc_pair_id', 'in', holders)
    .where('document.id', 'like', `${FILE_DOCUMENT_PREFIX}${file_id}%`)
    .where((it) => it.or([it('hidden_at', 'is not', null), it('quarantined_at', 'is not', null)]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

const FileLocations = z.object({ file_locations: z.array(z.string()) })

function fileIdsOf(config: string): string[] {
  const read = FileLocations.safeParse(JSON.parse(config))
  return read.success ? read.data.file_locations : []
}
