// Redacts a stored answer to what a reader may see today.
import { isShareable, type Packet, type PacketObject } from '../../domain/chat/packet.ts'
import type { SearchDoc } from '../../domain/chat/search-doc.ts'
import type { StoredMessage } from '../../store/chats/messages.ts'
import { packetDocuments, removeCitationMarkers } from './reduce-packets.ts'

/** Document ids subject to access control: web pages are public, and attached files belong to the user who asked. */
export function documentIdsInPackets(packets: readonly Packet[]): string[] {
  const others = new Set([
    ...documentIdsWhere(packets, (it) => it.is_internet),
    ...documentIdsWhere(packets, isAttachedFile),
  ])
  const cited = packets.flatMap(({ obj }) => (obj.type === 'citation_info' ? [obj.document_id] : []))
  return [...new Set([...documentIdsWhere(packets, () => true), ...cited])].filter((id) => !others.has(id))
}

const isAttachedFile = ({ source_type, file_id, document_id }: SearchDoc) =>
  source_type === 'user_file' && file_id === document_id

const documentIdsWhere = (packets: readonly Packet[], matches: (document: SearchDoc) => boolean): string[] =>
  packets.flatMap(({ obj }) =>
    packetDocuments(obj)
      .filter(matches)
      .map((it) => it.document_id),
  )

export const WITHHELD_MESSAGE = 'This answer is based on documents that you may not read, so it is not shown to you.'

/** Keeps the text for the user who asked, but removes everything else from documents that they may no longer read. */
export function redactForOwner(message: StoredMessage, mayRead: (documentId: string) => boolean): StoredMessage {
  const hidden = documentIdsInPackets(message.packets).filter((id) => !mayRead(id))
  return hidden.length === 0 ? message : removeDocuments(message, new Set(hidden))
}

function removeDocuments(message: StoredMessage, hidden: ReadonlySet<string>): StoredMessage {
  const cited = message.packets.flatMap(({ obj }) => (obj.type === 'citation_info' ? [obj] : []))
  const removedCitations = new Set(cited.filter((it) => hidden.has(it.document_id)).map((it) => it.citation_number))
  return {
    ...message,
    message: removeCitationMarkers(message.message, removedCitations),
    packets: message.packets.flatMap(({ placement, obj }) => {
      const seen = redactObject(obj, hidden, removedCitations)
      return seen === null ? [] : [{ placement, obj: seen }]
    }),
  }
}

/**
 * For other readers of a shared session: withholds an answer that involves a document they may not read, and all
 * answers after it, which may repeat it. Tool arguments and results stay private, because tools acted for the user who
 * asked.
 */
export function redactForOthers(
  messages: readonly StoredMessage[],
  mayRead: (documentId: string) => boolean,
): StoredMessage[] {
  const withheld = new Set<number>()
  return messages.map((message) => {
    const isAfter = message.parent_id !== null && withheld.has(message.parent_id)
    const isWithheld = isAfter || !documentIdsInPackets(message.packets).every(mayRead)
    if (isWithheld) withheld.add(message.id)
    const plain = { ...message, files: [], sources: [], feedback: null }
    if (message.message_type === 'user') return plain
    if (isWithheld) return { ...plain, message: WITHHELD_MESSAGE, error: null, packets: [] }
    const packets = message.packets.filter(({ obj }) => isShareable(obj))
    return removeDocuments({ ...plain, packets }, new Set(documentIdsWhere(packets, isAttachedFile)))
  })
}

function redactObject(
  obj: PacketObject,
  hidden: ReadonlySet<string>,
  removedCitations: ReadonlySet<number>,
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
      return { ...obj, content: removeCitationMarkers(obj.content, removedCitations) }
    default:
      return obj
  }
}
