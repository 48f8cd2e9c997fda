// The pictures inside one Office document or book: each content once, without signs and decoration.
import { createHash } from 'node:crypto'
import type { ZipFile, ZipMember } from '../../archive/zip-file.ts'
import { hasRoomForText } from '../../picture/picture-size.ts'
import { ReadEnded, type ReaderContext } from '../../reader.ts'
import type { PicturePlace } from '../../section-writer.ts'

export interface DocumentPictures {
  /**
   * Notes that the picture of this member stands here, with its alternative text. Returns the section that shows it; null
   * if it has one already, or is not in the file.
   */
  place(member: string, alternative: string): PicturePlace | null
  /** Sends the bytes of those that may have text. Call it after the text, which does not wait for pictures. */
  send(): Promise<void>
}

/** A document with more has decoration or photographs. */
const MAX_PICTURES = 200
/** A picture that is shown more often is a logo or a sign. */
const MAX_SHOWN = 3
/** Places beyond this number have no section. */
const MAX_PLACES = 10_000

export function createDocumentPictures(context: ReaderContext, zip: ZipFile): DocumentPictures {
  const shown = new Map<string, number>()
  return {
    place(member, alternative) {
      const count = shown.get(member) ?? 0
      if (count === 0 && (shown.size >= MAX_PLACES || zip.find(member) === undefined)) return null
      shown.set(member, count + 1)
      return count === 0 ? { pictureKey: member, text: usefulAlternative(alternative) } : null
    },
    async send() {
      if (context.keepsPictures) await sendPictures(context, zip, shown)
    },
  }
}

/** Office writes the second sentence itself; file names tell nothing about the picture. */
function usefulAlternative(text: string): string {
  const line = text
    .slice(0, MAX_ALTERNATIVE)
    .replace(/\s+/g, ' ')
    .replace(/(?:Description automatically generated|Automatisch generierte Beschreibung)[^.]{0,40}\.?/i, '')
    .trim()
  return /^[^ ]{0,200}\.(?:png|jpe?g|gif|bmp|tiff?|[ew]mf|svg|webp)$/i.test(line) || !/\p{L}/u.test(line) ? '' : line
}
const MAX_ALTERNATIVE = 2_000

async function sendPictures(context: ReaderContext, zip: ZipFile, shown: ReadonlyMap<string, number>): Promise<void> {
  const distinct = new Map<string, { key: string; name: string; bytes: Buffer; count: number }>()
  let room = context.budget.limits.pictureBytes - context.budget.pictureBytes
  for (const [key, count] of shown) {
    const member = zip.find(key)
    if (member === undefined || count > MAX_SHOWN) continue
    const bytes = await pictureBytes(context, member, room)
    if (bytes === 'time' || bytes === 'pictureBytes') {
      context.warn('limit_hit', bytes)
      break
    }
    if (bytes === null || !hasRoomForText(bytes)) continue
    const hash = createHash('sha256').update(bytes).digest('base64url')
    const known = distinct.get(hash)
    if (known !== undefined) {
      known.count += count
      continue
    }
    if (distinct.size >= MAX_PICTURES) {
      context.warn('limit_hit', 'pictures')
      break
    }
    room -= bytes.length
    distinct.set(hash, { key, name: key.slice(key.lastIndexOf('/') + 1), bytes, count })
  }
  for (const { count, ...picture } of distinct.values()) if (count <= MAX_SHOWN && !context.pictureFile(picture)) return
}

/**
 * Pictures have a limit of their own, so they are not counted among the unpacked bytes of texts. Null: the member is not
 * readable, and the text of the document does not suffer from it.
 */
async function pictureBytes(
  { budget }: ReaderContext,
  member: ZipMember,
  maxBytes: number,
): Promise<Buffer | 'time' | 'pictureBytes' | null> {
  const { decoded } = budget
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of member.stream()) {
      chunks.push(chunk)
      length += chunk.length
      budget.decoded = decoded
      if (length > maxBytes) return 'pictureBytes'
    }
    return Buffer.concat(chunks)
  } catch (error) {
    return error instanceof ReadEnded && error.message === 'time' ? 'time' : null
  } finally {
    budget.decoded = decoded
  }
}
