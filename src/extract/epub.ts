// A book (EPUB 2 and 3): its chapters in the order of its spine.
import { decodeText } from './decode-text.ts'
import { readMarkup } from './html.ts'
import { isoDate } from './iso-date.ts'
import { resolveName } from './office-package.ts'
import { Ended, type Reading } from './reading.ts'
import { attribute } from './xml-events.ts'
import { bytesOf, textOfMember, xmlOf, type ZipFile } from './zip-file.ts'

export async function readEpub(reading: Reading, zip: ZipFile): Promise<void> {
  const book = await readPackage(zip)
  const { title = null, creator: author = null, date, modified, language = null } = book.metadata
  reading.facts({
    title,
    author,
    created: isoDate(date),
    modified: isoDate(modified),
    language,
    pages: book.chapters.length,
  })
  const locked = await encryptedNames(zip)
  for (const name of book.chapters) {
    if (locked.has(name)) throw new Ended('password', 'The book is locked by its seller (DRM).')
    const chapter = zip.find(name)
    if (chapter === undefined) {
      reading.warn('damaged', `The chapter ${JSON.stringify(name.slice(0, 200))} is missing in the file.`)
      continue
    }
    readMarkup(reading, decodeText(await bytesOf(chapter)), { anchorPrefix: encodeURI(name.toWellFormed()) })
  }
}

interface Book {
  metadata: Record<string, string>
  /** Names of members. */
  chapters: string[]
}

async function readPackage(zip: ZipFile): Promise<Book> {
  const path = await packageName(zip)
  const member = zip.find(path)
  if (member === undefined) throw new Ended('damaged', 'The package document of the book is missing.')
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const items = new Map<string, string>()
  const metadata: Record<string, string> = {}
  const chapters: string[] = []
  let current: string | null = null
  await xmlOf(member, {
    open(name, attributes) {
      current = name === 'meta' && attribute(attributes, 'property') === 'dcterms:modified' ? 'modified' : name
      const href = attribute(attributes, 'href')
      if (name === 'item' && href !== undefined)
        items.set(attribute(attributes, 'id') ?? '', resolveName(folder, decoded(href)))
      if (name !== 'itemref') return
      const chapter = items.get(attribute(attributes, 'idref') ?? '')
      if (chapter !== undefined && chapters.length < MAX_CHAPTERS) chapters.push(chapter)
    },
    text(text) {
      if (current !== null && FACTS.has(current) && (metadata[current]?.length ?? 0) < 500)
        metadata[current] = (metadata[current] ?? '') + text
    },
    close() {
      current = null
    },
  })
  return { metadata, chapters }
}

const FACTS = new Set(['title', 'creator', 'date', 'modified', 'language'])
const MAX_CHAPTERS = 10_000

async function packageName(zip: ZipFile): Promise<string> {
  const container = zip.find('META-INF/container.xml')
  let path = ''
  if (container !== undefined)
    await xmlOf(container, {
      open(name, attributes) {
        if (name === 'rootfile' && path === '') path = attribute(attributes, 'full-path') ?? ''
      },
    })
  return path
}

/** Fonts are often scrambled in books that are free to read. */
async function encryptedNames(zip: ZipFile): Promise<Set<string>> {
  const member = zip.find('META-INF/encryption.xml')
  const text = member === undefined ? '' : await textOfMember(member)
  return new Set([...text.matchAll(/CipherReference\s+URI="([^"]{1,1000})"/g)].map((it) => decoded(it[1] ?? '')))
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}
