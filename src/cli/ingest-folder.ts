// The files of a folder, one document each, and one for each that lies in an archive or a mail. What cannot be read is
// told, not passed over.
import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { createExtractor, type Extractor } from '../extract/extract.ts'
import { documentsOf, type Found, WITHIN } from './ingest-file.ts'
import type { Resume, Source } from './ingest-source.ts'

export interface FolderSettings {
  folder: string
  ccPairId: number | undefined
  /** Put before the paths to make ids; without it the folder's name. */
  prefix: string | undefined
  /** Put before the paths to make links; without it the documents have none. */
  linkBase: string | undefined
  source: string | undefined
  signal: AbortSignal
}

export async function filesOfFolder(settings: FolderSettings): Promise<Source> {
  const root = resolve(settings.folder)
  return {
    fingerprint: 'a folder',
    async *items(resume) {
      const extractor = createExtractor()
      try {
        const paths = await pathsIn(root)
        for (const [at, path] of paths.entries()) {
          const share = (at + 1) / paths.length
          for (const it of await documentsAt(extractor, { root, path, resume }, settings))
            yield { ...it, bytes: lengthOf(it), share }
        }
      } finally {
        await extractor.close()
      }
    },
  }
}

function lengthOf({ content }: Found): number {
  if ('problem' in content) return 0
  return content.body.document.sections.reduce((sum, { text }) => sum + (text?.length ?? 0), 0)
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

interface Place {
  root: string
  path: string
  resume: Resume | null
}

/** None for what an earlier run has dealt with. A file that was changed or moved here since then is read again. */
async function documentsAt(
  extractor: Extractor,
  { root, path, resume }: Place,
  { ccPairId, prefix = `${basename(root)}/`, linkBase, source, signal }: FolderSettings,
): Promise<Found[]> {
  try {
    const { mtime, ctimeMs } = await stat(join(root, path))
    if (resume !== null && isDone(path, resume.at) && ctimeMs < resume.startedAt) return []
    const extraction = await extractor.extract({ source: { path: join(root, path) }, file_name: path, signal })
    const link = linkBase === undefined ? null : linkBase + path.split('/').map(encodeURIComponent).join('/')
    return documentsOf(extraction, { path, id: `${prefix}${path}`, link, updatedAt: mtime, ccPairId, source })
  } catch (error) {
    signal.throwIfAborted()
    return [{ at: path, content: { problem: error instanceof Error ? error.message : String(error) } }]
  }
}

/** A file of which only members were dealt with is read again. */
function isDone(path: string, at: string): boolean {
  const [file = '', ...within] = at.split(WITHIN)
  return within.length > 0 ? path < file : path <= file
}
