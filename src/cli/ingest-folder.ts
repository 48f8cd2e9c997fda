// The text, Markdown and HTML files of a folder, one document each. What cannot be read is told, not passed over.
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'
import type { IngestionRequest } from '../client/schemas.ts'
import { htmlText } from '../extract/html-text.ts'
import type { Item, Resume, Source } from './ingest-source.ts'

export interface FolderSettings {
  folder: string
  ccPairId: number | undefined
  /** Put before the paths to make ids; without it the folder's name. */
  prefix: string | undefined
  /** Put before the paths to make links; without it the documents have none. */
  linkBase: string | undefined
  source: string | undefined
}

interface Text {
  title: string | undefined
  text: string
}

const READERS: Record<string, (text: string) => Text> = {
  '.txt': (text) => ({ title: undefined, text }),
  '.text': (text) => ({ title: undefined, text }),
  '.md': (text) => ({ title: headingOf(text), text }),
  '.markdown': (text) => ({ title: headingOf(text), text }),
  '.html': htmlText,
  '.htm': htmlText,
}
const MAX_FILE_BYTES = 30 << 20
const MAX_TITLE = 10_000

export async function filesOfFolder(settings: FolderSettings): Promise<Source> {
  const root = resolve(settings.folder)
  return {
    fingerprint: 'a folder',
    async *items(resume) {
      const paths = await pathsIn(root)
      for (const [at, path] of paths.entries()) {
        const content = await contentOf(root, path, resume, settings)
        if (content === undefined) continue
        const bytes = 'body' in content ? (content.body.document.sections[0]?.text?.length ?? 0) : 0
        yield { at: path, content, bytes, share: (at + 1) / paths.length }
      }
    },
  }
}

/** Relative, with slashes, in the order of their characters. Hidden files and folders are none of ours. */
async function pathsIn(root: string, below = ''): Promise<string[]> {
  const entries = await readdir(join(root, below), { withFileTypes: true })
  const paths: string[] = []
  for (const it of entries) {
    if (it.name.startsWith('.')) continue
    const path = below === '' ? it.name : `${below}/${it.name}`
    if (it.isDirectory()) paths.push(...(await pathsIn(root, path)))
    else paths.push(path)
  }
  return below === '' ? paths.sort() : paths
}

/** Undefined for what an earlier run has dealt with. A file that was changed or moved here since then is read again. */
async function contentOf(
  root: string,
  path: string,
  resume: Resume | null,
  settings: FolderSettings,
): Promise<Item['content'] | undefined> {
  try {
    const { size, mtime, ctimeMs } = await stat(join(root, path))
    if (resume !== null && path <= resume.at && ctimeMs < resume.startedAt) return undefined
    const reader = READERS[extname(path).toLowerCase()]
    if (reader === undefined) return { problem: 'neither text nor Markdown nor HTML' }
    if (size > MAX_FILE_BYTES) return { problem: `larger than ${MAX_FILE_BYTES >> 20} MiB` }
    const text = decoded(await readFile(join(root, path)))
    return text === undefined
      ? { problem: 'no text in UTF-8 or UTF-16' }
      : { body: bodyOf(root, path, reader(text), mtime, settings) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

function decoded(bytes: Buffer): string | undefined {
  const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  const encoding = isWide ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function bodyOf(
  root: string,
  path: string,
  { title, text }: Text,
  mtime: Date,
  settings: FolderSettings,
): IngestionRequest {
  const { ccPairId, prefix = `${basename(root)}/`, linkBase, source } = settings
  const name = (title ?? basename(path, extname(path))).slice(0, MAX_TITLE)
  const link = linkBase === undefined ? null : linkBase + path.split('/').map(encodeURIComponent).join('/')
  return {
    ...(ccPairId !== undefined && { cc_pair_id: ccPairId }),
    document: {
      id: `${prefix}${path}`,
      semantic_identifier: name,
      sections: [{ text, link }],
      ...(source !== undefined && { source }),
      metadata: { path },
      doc_updated_at: mtime.toISOString(),
    },
  }
}

const headingOf = (text: string) => /^#{1,2}\s+(.+?)\s*#*\s*$/m.exec(text.slice(0, 10_000))?.[1]
