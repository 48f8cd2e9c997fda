// The images of personas: files that also those may read who may use the persona.
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { chatFileType } from '../../domain/values/media-type.ts'
import type { Queryable } from '../database/database.ts'
import { listUserFiles, type StoredUserFile } from '../files/user-files.ts'
import { withCurrentGroups } from '../identity/credential-owners.ts'
import { isEditablePersona, isOpenPersona } from './personas.ts'

/** FILE_NOT_FOUND: it is neither an own file nor the image of a persona that the subject may use or change. */
export async function getReadableFile(db: Queryable, subject: Subject, id: string): Promise<StoredUserFile> {
  const [own] = await listUserFiles(db, subject, [id])
  const file = own ?? (await findPersonaImage(db, subject, id))
  if (file === undefined) throw new AppError('FILE_NOT_FOUND')
  return file
}

async function findPersonaImage(db: Queryable, caller: Subject, id: string): Promise<StoredUserFile | undefined> {
  const personas = await db
    .selectFrom('persona')
    .selectAll()
    .where('uploaded_image_id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
  if (personas.length === 0) return undefined
  const subject = await withCurrentGroups(db, caller)
  if (!personas.some((it) => isOpenPersona(it, subject) || isEditablePersona(it, subject))) return undefined
  const file = await db.selectFrom('user_file').selectAll().where('id', '=', id).executeTakeFirst()
  return file !== undefined && chatFileType(file.file_type) === 'image' ? file : undefined
}
