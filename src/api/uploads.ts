// The files of a multipart request: taken in one after the other, and kept together or not at all.
import { randomUUID } from 'node:crypto'
import { AppError } from '../domain/errors.ts'
import { HEAD_BYTES, mediaTypeOf } from '../domain/media-type.ts'
import type { ReceivedBlob } from '../store/blobs.ts'
import { getSettings } from '../store/settings.ts'
import { insertUserFiles, type StoredUserFile } from '../store/user-files.ts'
import { RequestInvalid } from './error-answer.ts'
import type { Call, UploadedFile } from './route.ts'
import type { Services } from './services.ts'

interface ReceivedFile {
  row: Omit<StoredUserFile, 'blob' | 'size'>
  received: ReceivedBlob
}

export interface Upload {
  files: ReceivedFile[]
  rejected: { file_name: string; reason: string }[]
  /** The texts of the form. */
  texts: Map<string, string>
  /** Writes the files down, and answers them. */
  keep(): Promise<StoredUserFile[]>
}

type UploadCall = Pick<Call<unknown, unknown, unknown>, 'files' | 'subject' | 'services'>

/** Files of fields that are not among these are passed over. What the action does not keep is gone after it. */
export async function withUpload<T>(
  call: UploadCall,
  fields: readonly string[],
  action: (upload: Upload) => Promise<T>,
): Promise<T> {
  const { services } = call
  const files: ReceivedFile[] = []
  const rejected: Upload['rejected'] = []
  const texts = new Map<string, string>()
  const keep = async () => {
    await insertUserFiles(services, files)
    return files.map(({ row, received: { name: blob, size } }) => ({ ...row, blob, size }))
  }
  try {
    await receiveAll(call, { fields, files, rejected, texts })
    return await action({ files, rejected, texts, keep })
  } finally {
    for (const { received } of files) await received.discard()
  }
}

const TOO_LARGE = 'The file is larger than the limit for uploads.'

async function receiveAll(
  { files: filesOf, subject, services }: UploadCall,
  upload: Omit<Upload, 'keep'> & { fields: readonly string[] },
): Promise<void> {
  const { user_file_max_upload_size_mb } = await getSettings(services.db)
  for await (const file of filesOf({ maxBytes: user_file_max_upload_size_mb << 20, texts: upload.texts })) {
    try {
      if (upload.fields.includes(file.field)) upload.files.push(await receive(services, subject.user_id, file))
      else await skip(file.bytes)
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'PAYLOAD_TOO_LARGE')) throw error
      upload.rejected.push({ file_name: file.name, reason: TOO_LARGE })
    }
  }
}

export function requireFile({ files, rejected }: Upload, field: string): void {
  if (files.length + rejected.length > 0) return
  throw new RequestInvalid([{ loc: ['body', field], msg: 'Field required', type: 'missing' }])
}

/** Where the answer has no place for files that were not taken. */
export function refuseTooLarge({ rejected }: Upload): void {
  if (rejected.length > 0) throw new AppError('PAYLOAD_TOO_LARGE', { limit: 'the limit for uploaded files' })
}

const MAX_NAME = 1_000
const UNNAMED = 'file'

async function receive({ blobs, now }: Services, user_id: string, file: UploadedFile): Promise<ReceivedFile> {
  const head: Buffer[] = []
  const received = await blobs.receive(noting(file.bytes, head))
  const row = {
    id: randomUUID(),
    name: file.name.replaceAll('\0', '').slice(0, MAX_NAME).toWellFormed() || UNNAMED,
    file_type: mediaTypeOf(Buffer.concat(head).subarray(0, HEAD_BYTES), file.type),
    user_id,
    created_at: now(),
  }
  return { row, received }
}

/** Passes the pieces on, and notes the first ones. */
async function* noting(bytes: AsyncIterable<Buffer>, head: Buffer[]): AsyncGenerator<Buffer> {
  let noted = 0
  for await (const piece of bytes) {
    if (noted < HEAD_BYTES) head.push(piece)
    noted += piece.length
    yield piece
  }
}

async function skip(bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of bytes);
}
