// Reads EPUB 2 and 3: the chapters in spine order.

import { memberBytes, memberText, parseXmlMember, type ZipFile } from '../archive/zip-file.ts'
import { readMarkup } from '../html/html.ts'
import { isoDate } from '../iso-date.ts'
import { ReadEnded, type ReaderContext } from '../reader.ts'
import { decodeText } from '../text/decode-text.ts'
import { attributeNamed } from '../xml/xml-parser.ts'
import { resolveMemberName } from './office-package.ts'
import { createDocumentPictures } from './pictures/document-pictures.ts'

export async function readEpub(context: ReaderContext, zip: ZipFile): Promise<void> {
  const book = await readPackage(zip)
  const { title = null, creator: author = null, date, modified, language = null } = book.metadata
  context.facts({
    title,
    author,
    created: isoDate(date),
    modified: isoDate(modified),
    language,
    pages: book.chapters.length,
  })
  const encryptedMembers = await listEncryptedMembers(zip)
  const pictures = createDocumentPictures(context, zip)
  for (const name of book.chapters) {
    if (encryptedMembers.has(name)) throw new ReadEnded('password', 'The book is protected by DRM.')
    const chapter = zip.find(name)
    if (chapter === undefined) {
      context.warn('damaged', `The chapter ${JSON.stringify(name.slice(0, 200))} is missing in the file.`)
      continue
    }
    const folder = name.slice(0, name.lastIndexOf('/') + 1)
    readMarkup(context, decodeText(await memberBytes(chapter)), {
      anchorPrefix: encodeURI(name.toWellFormed()),
      // The text of the chapter has the alternative text.
      placePicture: (source) => pictures.place(resolveMemberName(folder, decodeHref(source)), ''),
    })
  }
  await pictures.send()
}

interface EpubPackage {
  metadata: Record<string, string>
  /** Names of ZIP members. */
  chapters: string[]
}

async function readPackage(zip: ZipFile): Promise<EpubPackage> {
  const path = await findPackageName(zip)
  const member = zip.find(path)
  if (member === undefined) throw new ReadEnded('damaged', 'The package document of the book is missing.')
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const items = new Map<string, string>()
  const metadata: Record<string, string> = {}
  const chapters: string[] = []
  let current: string | null = null
  await parseXmlMember(member, {
    open(name, attributes) {
      current = name === 'meta' && attributeNamed(attributes, 'property') === 'dcterms:modified' ? 'modified' : name
      const href = attributeNamed(attributes, 'href')
      if (name === 'item' && href !== undefined)
        items.set(attributeNamed(attributes, 'id') ?? '', resolveMemberName(folder, decodeHref(href)))
      if (name !== 'itemref') return
      const chapter = items.get(attributeNamed(attributes, 'idref') ?? '')
      if (chapter !== undefined && chapters.length < MAX_CHAPTERS) chapters.push(chapter)
    },
    text(text) {
      if (current !== null && METADATA_NAMES.has(current) && (metadata[current]?.length ?? 0) < 500)
        metadata[current] = (metadata[current] ?? '') + text
    },
    close() {
      current = null
    },
  })
  return { metadata, chapters }
}

const METADATA_NAMES = new Set(['title', 'creator', 'date', 'modified', 'language'])
const MAX_CHAPTERS = 10_000

async function findPackageName(zip: ZipFile): Promise<string> {
  const container = zip.find('META-INF/container.xml')
  let path = ''
  if (container !== undefined)
    await parseXmlMember(container, {
      open(name, attributes) {
        if (name === 'rootfile' && path === '') path = attributeNamed(attributes, 'full-path') ?? ''
      },
    })
  return path
}

/** DRM-free books often have obfuscated fonts, so only encrypted chapters count. */
async function listEncryptedMembers(zip: ZipFile): Promise<Set<string>> {
  const member = zip.find('META-INF/encryption.xml')
  const text = member === undefined ? '' : await memberText(member)
  return new Set([...text.matchAll(/CipherReference\s+URI="([^"]{1,1000})"/g)].map((it) => decodeHref(it[1] ?? '')))
}

function decodeHref(href: string): string {
  try {
    return decodeURIComponent(href)
  } catch {
    return href
  }
}
