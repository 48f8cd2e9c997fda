// Files that connectors may read: uploads, and folders that the operator allows.
import { createHash } from 'node:crypto'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type ConnectorFiles, SourceError, type SourceFile } from '../../connectors/connector.ts'
import type { Database } from '../../store/database/database.ts'
import type { Blobs } from '../../store/files/blobs.ts'

interface SourceFilesDeps {
  db: Database
  blobs: Pick<Blobs, 'get'>
  /** CONNECTOR_FOLDERS. */
  folders: readonly string[]
}

const FILE_ID_PREFIX = 'file:'

export function openSourceFiles({ db, blobs, folders }: SourceFilesDeps): ConnectorFiles {
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
      return Promise.all(paths.sort().map((it) => toSourceFile(root, it)))
    },
    async read({ id, version }) {
      if (id.startsWith(FILE_ID_PREFIX)) return readFile(await openFile(id.slice(FILE_ID_PREFIX.length), folders))
      return buffer(await blobs.get(version))
    },
  }
}

/** Skips `.git` and other hidden folders. */
const isHidden = (path: string) => path.split(sep).some((it) => it.startsWith('.'))

async function toSourceFile(root: string, path: string): Promise<SourceFile> {
  const { size, mtimeMs } = await stat(path)
  const version = createHash('sha256').update(`${size} ${mtimeMs}`).digest('base64url')
  return {
    id: `${FILE_ID_PREFIX}${path}`,
    name: relative(root, path).split(sep).join('/'),
    media_type: null,
    size,
    changed_at: Math.floor(mtimeMs),
    version,
  }
}

const FOLDER_NOT_ALLOWED = 'Connectors may not read this folder. Add it to CONNECTOR_FOLDERS and restart the service.'

/** Does not reveal whether a folder outside CONNECTOR_FOLDERS exists. */
async function openFolder(path: string, folders: readonly string[]): Promise<string> {
  const real = await realpath(path).catch(() => null)
  if (real !== null && (await isInside(real, folders))) return real
  throw new SourceError('config', FOLDER_NOT_ALLOWED, { field: 'connector_specific_config.folder' })
}

/** A file may have been replaced by a symbolic link since it was listed. */
async function openFile(path: string, folders: readonly string[]): Promise<string> {
  const real = await realpath(path)
  if (await isInside(real, folders)) return real
  throw new SourceError('config', 'The file is outside the folders in CONNECTOR_FOLDERS.')
}

async function isInside(real: string, folders: readonly string[]): Promise<boolean> {
  const roots = await Promise.all(folders.map((it) => realpath(it).catch(() => null)))
  return roots.some(
    (root) => root !== null && (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)),
  )
}
