// Uploaded files of a multipart request: received one after the other, saved together or not at all.
import { randomUUID } from 'node:crypto'
import { AppError } from '../../domain/errors.ts'
import { detectMediaType, HEAD_BYTES } from '../../domain/values/media-type.ts'
import type { ReceivedBlob } from '../../store/files/blobs.ts'
import { insertUserFiles, type StoredUserFile } from '../../store/files/user-files.ts'
import { getSettings } from '../../store/settings/settings.ts'
import type { RouteCall, RouteServices, UploadedFile } from '../route.ts'
import { InvalidRequestError } from './error-response.ts'

interface ReceivedFile {
  row: Omit<StoredUserFile, 'blob' | 'size'>
  received: ReceivedBlob
}

export interface ReceivedUpload {
  files: ReceivedFile[]
  rejected: { file_name: string; reason: string }[]
  /** The text fields of the form. */
  texts: Map<string, string>
  /** Inserts the files into the store and returns them. */
  save(): Promise<StoredUserFile[]>
}

type UploadCall = Pick<RouteCall<unknown, unknown, unknown, 'db' | 'blobs' | 'now'>, 'files' | 'subject' | 'services'>

/** Skips files of other fields. Files that the action does not save are discarded afterwards. */
export async function withUpload<T>(
  call: UploadCall,
  fields: readonly string[],
  action: (upload: ReceivedUpload) => Promise<T>,
): Promise<T> {
  const { services } = call
  const files: ReceivedFile[] = []
  const rejected: ReceivedUpload['rejected'] = []
  const texts = new Map<string, string>()
  const save = async () => {
    await insertUserFiles(services, files)
    return files.map(({ row, received: { name: blob, size } }) => ({ ...row, blob, size }))
  }
  try {
    await receiveAll(call, { fields, files, rejected, texts })
    return await action({ files, rejected, texts, save })
  } finally {
    for (const { received } of files) await received.discard()
  }
}

const TOO_LARGE = 'The file exceeds the upload size limit.'

async function receiveAll(
  { files: filesOf, subject, services }: UploadCall,
  upload: Omit<ReceivedUpload, 'save'> & { fields: readonly string[] },
): Promise<void> {
  const { user_file_max_upload_size_mb } = await getSettings(services.db)
  for await (const file of filesOf({ maxBytes: user_file_max_upload_size_mb << 20, texts: upload.texts })) {
    try {
      if (upload.fields.includes(file.field)) upload.files.push(await receiveFile(services, subject.user_id, file))
      else await drain(file.bytes)
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'PAYLOAD_TOO_LARGE')) throw error
      upload.rejected.push({ file_name: file.name, reason: TOO_LARGE })
    }
  }
}

export function requireFile({ files, rejected }: ReceivedUpload, field: string): void {
  if (files.length + rejected.length === 0) throw missingFile(field)
}

/** For routes that take one file and whose reply cannot list rejected files. */
export function requireReceivedFile(upload: ReceivedUpload, field: string): ReceivedFile {
  rejectTooLarge(upload)
  const [file] = upload.files
  if (file === undefined) throw missingFile(field)
  return file
}

const missingFile = (field: string) =>
  new InvalidRequestError([{ loc: ['body', field], msg: 'Field required', type: 'missing' }])

/** For routes whose reply cannot list rejected files. */
export function rejectTooLarge({ rejected }: ReceivedUpload): void {
  if (rejected.length > 0) throw new AppError('PAYLOAD_TOO_LARGE', { limit: 'the limit for uploaded files' })
}

const MAX_NAME = 1_000
const DEFAULT_NAME = 'file'

async function receiveFile(
  { blobs, now }: RouteServices<'blobs' | 'now'>,
  user_id: string,
  file: UploadedFile,
): Promise<ReceivedFile> {
  const head: Buffer[] = []
  const received = await blobs.receive(captureHead(file.bytes, head))
  const row = {
    id: randomUUID(),
    name: file.name.replaceAll('\0', '').slice(0, MAX_NAME).toWellFormed() || DEFAULT_NAME,
    file_type: detectMediaType(Buffer.concat(head).subarray(0, HEAD_BYTES), file.type),
    user_id,
    created_at: now(),
  }
  return { row, received }
}

/** Passes the chunks on and copies the first ones into `head`. */
async function* captureHead(bytes: AsyncIterable<Buffer>, head: Buffer[]): AsyncGenerator<Buffer> {
  let noted = 0
  for await (const piece of bytes) {
    if (noted < HEAD_BYTES) head.push(piece)
    noted += piece.length
    yield piece
  }
}

async function drain(bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of bytes);
}
