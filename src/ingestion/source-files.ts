// Files that a connector may read: uploads, and what lies in folders that the operator opened.
import { createHash } from 'node:crypto'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { type Files, SourceError, type SourceFile } from '../connectors/connector.ts'
import type { Blobs } from '../store/blobs.ts'
import type { Database } from '../store/database.ts'

interface Needs {
  db: Database
  blobs: Pick<Blobs, 'get'>
  /** CONNECTOR_FOLDERS. */
  folders: readonly string[]
}

const FILE = 'file:'

export function openSourceFiles({ db, blobs, folders }: Needs): Files {
  return {
    async uploads(ids) {
      const rows = await db
        .selectFrom('user_file')
        .selectAll()
        .where('id', 'in', ['', ...ids])
        .execute()
      const byId = new Map(rows.map((it) => [it.id, it]))
      return ids.flatMap((id): SourceFile[] => {
        const row = byId.get(id)
        if (row === undefined) return []
        const { name, size, created_at: changed_at, blob: version, file_type: media_type } = row
        return [{ id, name, media_type, size, changed_at, version }]
      })
    },
    async folder(path) {
      const root = await openFolder(path, folders)
      const entries = await readdir(root, { recursive: true, withFileTypes: true })
      const paths = entries
        .filter((it) => it.isFile())
        .map((it) => join(it.parentPath, it.name))
        .filter((it) => !isHidden(relative(root, dirname(it))))
      return Promise.all(paths.sort().map((it) => described(root, it)))
    },
    async read({ id, version }) {
      if (id.startsWith(FILE)) return readFile(await openFile(id.slice(FILE.length), folders))
      const pieces: Buffer[] = []
      for await (const piece of await blobs.get(version)) pieces.push(piece as Buffer)
      return Buffer.concat(pieces)
    },
  }
}

/** `.git` and its like. */
const isHidden = (path: string) => path.split(sep).some((it) => it.startsWith('.'))

async function described(root: string, path: string): Promise<SourceFile> {
  const { size, mtimeMs } = await stat(path)
  const version = createHash('sha256').update(`${size} ${mtimeMs}`).digest('base64url')
  return {
    id: `${FILE}${path}`,
    name: relative(root, path).split(sep).join('/'),
    media_type: null,
    size,
    changed_at: Math.floor(mtimeMs),
    version,
  }
}

const NOT_OPEN = 'This folder is not open to connectors. Start the service with CONNECTOR_FOLDERS naming it.'

/** Whether a folder is there is nobody's business that the operator has not opened. */
async function openFolder(path: string, folders: readonly string[]): Promise<string> {
  const real = await realpath(path).catch(() => null)
  if (real !== null && (await isInside(real, folders))) return real
  throw new SourceError('config', NOT_OPEN, { field: 'connector_specific_config.folder' })
}

/** A link may have taken the place of a file since it was listed. */
async function openFile(path: string, folders: readonly string[]): Promise<string> {
  const real = await realpath(path)
  if (await isInside(real, folders)) return real
  throw new SourceError('config', 'It leads out of the folders that are open to connectors.')
}

async function isInside(real: string, folders: readonly string[]): Promise<boolean> {
  const roots = await Promise.all(folders.map((it) => realpath(it).catch(() => null)))
  return roots.some(
    (root) => root !== null && (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)),
  )
}
