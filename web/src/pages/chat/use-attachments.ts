// Attachments of the next question; they are uploaded as soon as they are chosen.
import { useState } from 'react'
import { uploadUserFiles } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'
import type { FileDescriptor } from './wire.ts'

export type Attachment = { key: string; name: string } & (
  | { state: 'sending' }
  | { state: 'kept'; file: FileDescriptor }
  | { state: 'failed'; error: unknown }
)

export interface Attachments {
  all: readonly Attachment[]
  files: () => FileDescriptor[]
  add: (files: readonly File[]) => void
  remove: (key: string) => void
  clear: () => void
}

export function useAttachments(): Attachments {
  const [all, setAll] = useState<readonly Attachment[]>([])
  const put = (attachment: Attachment) =>
    setAll((before) => before.map((it) => (it.key === attachment.key ? attachment : it)))
  return {
    all,
    files: () => all.flatMap((it) => (it.state === 'kept' ? [it.file] : [])),
    add(files) {
      const added = files.map((file) => ({ file, key: crypto.randomUUID(), name: file.name }))
      setAll((before) => [...before, ...added.map(({ key, name }) => ({ key, name, state: 'sending' as const }))])
      for (const { file, ...attachment } of added) void upload(file).then((it) => put({ ...attachment, ...it }))
    },
    remove: (key) => setAll((before) => before.filter((it) => it.key !== key)),
    clear: () => setAll([]),
  }
}

type UploadOutcome = { state: 'kept'; file: FileDescriptor } | { state: 'failed'; error: unknown }

async function upload(file: File): Promise<UploadOutcome> {
  const body = new FormData()
  body.append('files', file)
  try {
    const { user_files, rejected_files } = await uploadUserFiles(api, { body })
    const [kept] = user_files
    if (kept === undefined)
      return { state: 'failed', error: rejected_files[0]?.reason ?? textsOf('chat.composer')('rejected') }
    return { state: 'kept', file: { id: kept.file_id, type: kept.chat_file_type, name: kept.name } }
  } catch (error) {
    return { state: 'failed', error }
  }
}
