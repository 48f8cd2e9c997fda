// What somebody may see today of an answer that was given some time ago.
import type { Packet, PacketObject } from '../domain/packet.ts'
import type { SearchDoc } from '../domain/search-doc.ts'
import type { StoredMessage } from '../store/chat-messages.ts'
import { shownDocuments, withoutMarks } from './fold.ts'

/** Of the record: pages of the internet are nobody's secret, and what was attached is the asker's own. */
export function documentIdsOf(packets: readonly Packet[]): string[] {
  const others = new Set([...idsOf(packets, (it) => it.is_internet), ...idsOf(packets, isAttached)])
  const cited = packets.flatMap(({ obj }) => (obj.type === 'citation_info' ? [obj.document_id] : []))
  return [...new Set([...idsOf(packets, () => true), ...cited])].filter((id) => !others.has(id))
}

const isAttached = ({ source_type, file_id, document_id }: SearchDoc) =>
  source_type === 'user_file' && file_id === document_id

const idsOf = (packets: readonly Packet[], isWanted: (document: SearchDoc) => boolean): string[] =>
  packets.flatMap(({ obj }) =>
    shownDocuments(obj)
      .filter(isWanted)
      .map((it) => it.document_id),
  )

export const WITHHELD = 'This answer rests on documents that you may not read, so it is not shown to you.'

/** For who asked: the words that they were given, but nothing more of documents that they may not read any longer. */
export function seenByOwner(message: StoredMessage, mayRead: (documentId: string) => boolean): StoredMessage {
  const hidden = documentIdsOf(message.packets).filter((id) => !mayRead(id))
  return hidden.length === 0 ? message : without(message, new Set(hidden))
}

function without(message: StoredMessage, hidden: ReadonlySet<string>): StoredMessage {
  const cited = message.packets.flatMap(({ obj }) => (obj.type === 'citation_info' ? [obj] : []))
  const lost = new Set(cited.filter((it) => hidden.has(it.document_id)).map((it) => it.citation_number))
  return {
    ...message,
    message: withoutMarks(message.message, lost),
    packets: message.packets.flatMap(({ placement, obj }) => {
      const seen = withoutDocuments(obj, hidden, lost)
      return seen === null ? [] : [{ placement, obj: seen }]
    }),
  }
}

/**
 * For others, of a session that was shared: an answer that had to do with a document which they may not read is not
 * shown at all, and neither is what was answered after it, since it may repeat it. What tools were told and answered
 * stays with who asked: they acted for that person.
 */
export function seenByOthers(
  messages: readonly StoredMessage[],
  mayRead: (documentId: string) => boolean,
): StoredMessage[] {
  const withheld = new Set<number>()
  return messages.map((message) => {
    const isAfter = message.parent_id !== null && withheld.has(message.parent_id)
    const isWithheld = isAfter || !documentIdsOf(message.packets).every(mayRead)
    if (isWithheld) withheld.add(message.id)
    const plain = { ...message, files: [], feedback: null }
    if (message.message_type === 'user') return plain
    if (isWithheld) return { ...plain, message: WITHHELD, error: null, packets: [] }
    const packets = message.packets.filter(({ obj }) => !PERSONAL.has(obj.type))
    return without({ ...plain, packets }, new Set(idsOf(packets, isAttached)))
  })
}

const PERSONAL: ReadonlySet<PacketObject['type']> = new Set([
  'custom_tool_start',
  'custom_tool_args',
  'custom_tool_confirmation',
  'custom_tool_delta',
  'file_reader_start',
  'file_reader_result',
  'tool_call_debug',
  'reasoning_start',
  'reasoning_delta',
  'reasoning_done',
])

function withoutDocuments(
  obj: PacketObject,
  hidden: ReadonlySet<string>,
  lost: ReadonlySet<number>,
): PacketObject | null {
  const seen = (documents: readonly SearchDoc[]) => documents.filter((it) => !hidden.has(it.document_id))
  switch (obj.type) {
    case 'search_tool_documents_delta':
    case 'open_url_documents':
      return { ...obj, documents: seen(obj.documents) }
    case 'message_start':
      return { ...obj, final_documents: obj.final_documents && seen(obj.final_documents) }
    case 'citation_info':
      return hidden.has(obj.document_id) ? null : obj
    case 'message_delta':
      return { ...obj, content: withoutMarks(obj.content, lost) }
    default:
      return obj
  }
}
