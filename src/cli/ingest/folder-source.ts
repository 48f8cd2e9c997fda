// Reads the files of a folder: one document per file, and one per file in an archive or mail. Unreadable files are
// reported.
import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { createExtractor, type Extractor } from '../../extract/extract.ts'
import { documentsOfFile, type FileDocument, MEMBER_SEPARATOR } from './file-documents.ts'
import type { IngestSource, ResumePoint } from './source.ts'

export interface FolderSettings {
  folder: string
  ccPairId: number | undefined
  /** The prefix of document ids; by default the name of the folder. */
  prefix: string | undefined
  /** The prefix of links; without it, documents have no link. */
  linkBase: string | undefined
  source: string | undefined
  signal: AbortSignal
}

export async function openFolderSource(settings: FolderSettings): Promise<IngestSource> {
  const root = resolve(settings.folder)
  return {
    fingerprint: 'a folder',
    async *items(resume) {
      const extractor = createExtractor()
      try {
        const paths = await listPaths(root)
        for (const [at, path] of paths.entries()) {
          const share = (at + 1) / paths.length
          for (const it of await readDocuments(extractor, { root, path, resume }, settings))
            yield { ...it, bytes: contentLength(it), share }
        }
      } finally {
        await extractor.close()
      }
    },
  }
}

function contentLength({ content }: FileDocument): number {
  if ('problem' in content) return 0
  return content.body.document.sections.reduce((sum, { text }) => sum + (text?.length ?? 0), 0)
}

/** Relative paths with slashes, sorted. Hidden files and folders are skipped. */
async function listPaths(root: string, below = ''): Promise<string[]> {
  const entries = await readdir(join(root, below), { withFileTypes: true })
  const paths: string[] = []
  for (const it of entries) {
    if (it.name.startsWith('.')) continue
    const path = below === '' ? it.name : `${below}/${it.name}`
    if (it.isDirectory()) paths.push(...(await listPaths(root, path)))
    else paths.push(path)
  }
  return below === '' ? paths.sort() : paths
}

interface FolderEntry {
  root: string
  path: string
  resume: ResumePoint | null
}

/** Empty for a file that an earlier run has processed. Files changed or moved since then are read again. */
async function readDocuments(
  extractor: Extractor,
  { root, path, resume }: FolderEntry,
  { ccPairId, prefix = `${basename(root)}/`, linkBase, source, signal }: FolderSettings,
): Promise<FileDocument[]> {
  try {
    const { mtime, ctimeMs } = await stat(join(root, path))
    if (resume !== null && isProcessed(path, resume.at) && ctimeMs < resume.startedAt) return []
    const extraction = await extractor.extract({ source: { path: join(root, path) }, file_name: path, signal })
    const link = linkBase === undefined ? null : linkBase + path.split('/').map(encodeURIComponent).join('/')
    return documentsOfFile(extraction, { path, id: `${prefix}${path}`, link, updatedAt: mtime, ccPairId, source })
  } catch (error) {
    signal.throwIfAborted()
    return [{ at: path, content: { problem: error instanceof Error ? error.message : String(error) } }]
  }
}

/** An archive that was processed in part is read again. */
function isProcessed(path: string, at: string): boolean {
  const [file = '', ...within] = at.split(MEMBER_SEPARATOR)
  return within.length > 0 ? path < file : path <= file
}
