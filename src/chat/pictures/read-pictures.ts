// Which pictures of a chat are sent to a model with a question, and their bytes.
import { buffer } from 'node:stream/consumers'
import type { FileDescriptor } from '../../domain/chat/chat.ts'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import { IMAGE_MEDIA_TYPES, type ImageMediaType, type ImagePart } from '../../inference/language-model.ts'
import type { MessageWithoutPackets } from '../../store/chats/messages.ts'
import type { Queryable } from '../../store/database/database.ts'
import type { Blobs } from '../../store/files/blobs.ts'
import { listUserFiles, type StoredUserFile } from '../../store/files/user-files.ts'

export interface TurnPicture {
  id: string
  name: string
  /** It came with this question, not with an earlier one. */
  isNew: boolean
  image: ImagePart
}

export interface ChosenPicture extends Pick<StoredUserFile, 'id' | 'name' | 'blob'> {
  media_type: ImageMediaType
  isNew: boolean
}

export interface ChosenPictures {
  /** Those of the question first, then those of earlier questions, the newest question first. */
  chosen: ChosenPicture[]
  /** How many pictures of the question are left out, because they are too large or too many. */
  omitted: number
}

/** Number of earlier questions whose pictures are sent again. The next questions are often about them. */
const RESENT_QUESTIONS = 3
export const MAX_PICTURES = 5
/** As base64 this is the 5 MB that https://docs.anthropic.com/en/docs/build-with-claude/vision allows for a picture. */
export const MAX_PICTURE_BYTES = 3_750_000
/** As base64 it fits into the 20 MB of https://ai.google.dev/gemini-api/docs/vision for a request. */
export const MAX_ALL_BYTES = 12_000_000

/** Files that are not the subject's own, or not a picture that models read, are left out. */
export async function choosePictures(
  db: Queryable,
  subject: Subject,
  asked: { question: readonly FileDescriptor[]; history: readonly MessageWithoutPackets[] },
): Promise<ChosenPictures> {
  const earlier = asked.history.filter((it) => it.message_type === 'user').slice(-RESENT_QUESTIONS)
  const files = [...asked.question, ...earlier.toReversed().flatMap((it) => it.files)]
  const ids = [...new Set(files.map((it) => it.id))]
  const stored = ids.length === 0 ? [] : await listUserFiles(db, subject, ids)
  const result: ChosenPictures = { chosen: [], omitted: 0 }
  let room = MAX_ALL_BYTES
  for (const { id, name, blob, size, file_type } of stored) {
    const media_type = IMAGE_MEDIA_TYPES.find((it) => it === file_type)
    if (media_type === undefined) continue
    const isNew = asked.question.some((it) => it.id === id)
    if (result.chosen.length < MAX_PICTURES && size <= Math.min(MAX_PICTURE_BYTES, room)) {
      result.chosen.push({ id, name, blob, media_type, isNew })
      room -= size
    } else if (isNew) result.omitted++
  }
  return result
}

/** A picture that was deleted meanwhile is left out. */
export async function readPictures(
  blobs: Pick<Blobs, 'get'>,
  chosen: readonly ChosenPicture[],
): Promise<TurnPicture[]> {
  const read = await Promise.all(chosen.map((it) => readPicture(blobs, it)))
  return read.filter((it) => it !== null)
}

async function readPicture(
  blobs: Pick<Blobs, 'get'>,
  { id, name, blob, media_type, isNew }: ChosenPicture,
): Promise<TurnPicture | null> {
  try {
    const bytes = await buffer(await blobs.get(blob))
    return { id, name, isNew, image: { type: 'image', media_type, base64: bytes.toString('base64') } }
  } catch (error) {
    if (error instanceof AppError && error.code === 'FILE_NOT_FOUND') return null
    throw error
  }
}
