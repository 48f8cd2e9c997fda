// Where a hit opens: in its source if the document has a link, else in Pharos, at the place of the hit.

/** The ids of documents that the file connector reads begin with it. */
export const FILE_DOCUMENT_PREFIX = 'FILE_CONNECTOR__'
const UPLOAD_ID_LENGTH = 36
const UPLOAD_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const MEMBER_MARK = '/'

/** A place in the document itself, such as `#page=3`, without the address of the document. */
export const isPlaceOnly = (link: string): boolean => link.startsWith('#')

/** The upload that the file connector made the document of; null for other documents. Its rights are not checked. */
export function uploadOfDocument(id: string): { file_id: string; isMember: boolean } | null {
  if (!id.startsWith(FILE_DOCUMENT_PREFIX)) return null
  const start = FILE_DOCUMENT_PREFIX.length
  const file_id = id.slice(start, start + UPLOAD_ID_LENGTH)
  const rest = id.slice(start + UPLOAD_ID_LENGTH)
  if (!UPLOAD_ID.test(file_id) || (rest !== '' && !rest.startsWith(MEMBER_MARK))) return null
  return { file_id, isMember: rest !== '' }
}

/** The page of a PDF that a link names; null if it names none. */
export function pageOfLink(link: string | null): number | null {
  const page = /#page=(\d{1,9})$/.exec(link?.slice(-20) ?? '')?.[1]
  return page === undefined ? null : Number(page)
}

const encoded = (id: string): string => encodeURIComponent(id.toWellFormed())

/** The address of the bytes of a document, without the address of the service. */
export const originalPath = (id: string, page: number | null = null): string =>
  `/api/document/original?document_id=${encoded(id)}${page === null ? '' : `#page=${page}`}`

/** The address of the page that shows the text of a document, opened at a chunk or at a section. */
export function readerPath(id: string, at: { chunk_ind: number } | { section: number } | null = null): string {
  const path = `/document?id=${encoded(id)}`
  if (at === null) return path
  return 'section' in at ? `${path}&section=${at.section}` : `${path}&chunk=${at.chunk_ind}`
}

interface LinkedPlace {
  document: { id: string; link: string | null }
  /** The link of the chunk or of the section. */
  link: string | null
  at: { chunk_ind: number } | { section: number } | null
}

/**
 * The link of a place in a document. `base`: the address of the service, empty if it is not known. Null for a document
 * of another source that has no link.
 */
export function placeLink({ document, link, at }: LinkedPlace, base: string): string | null {
  const own = link !== null && !isPlaceOnly(link) ? link : document.link
  if (own !== null && !isPlaceOnly(own)) return own
  if (!document.id.startsWith(FILE_DOCUMENT_PREFIX)) return link ?? own
  const page = pageOfLink(link)
  const isWholeFile = uploadOfDocument(document.id)?.isMember === false
  return base + (isWholeFile && page !== null ? originalPath(document.id, page) : readerPath(document.id, at))
}
