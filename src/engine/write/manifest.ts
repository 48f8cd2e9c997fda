// The manifest lists the segments of the index, their deleted groups, and the position of the index. It is replaced
// atomically.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { CorruptIndexError } from '../codec/corrupt-index-error.ts'
import { FORMAT } from '../segment/segment-file.ts'

export interface Manifest {
  format: number
  /** The settings that the upper bounds and the filters depend on. An index with other settings is rebuilt. */
  b: number
  dimensions: readonly string[]
  nextId: number
  /** Opaque: the record that `position` refers to. */
  record: string
  /** Opaque: the caller's number of the last batch in the index. */
  position: number
  segments: { id: number; file: string; deleted: string }[]
}

const MANIFEST_FILE = 'manifest'

/** Returns undefined for a new folder. */
export function readManifest(dir: string): Manifest | undefined {
  let text: string
  try {
    text = readFileSync(join(dir, MANIFEST_FILE), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const end = text.indexOf('\n')
  const json = text.slice(end + 1)
  if (end < 0 || text.slice(0, end) !== checksum(json))
    throw new CorruptIndexError(`${join(dir, MANIFEST_FILE)} is damaged`)
  const manifest: Manifest = JSON.parse(json)
  if (manifest.format !== FORMAT)
    throw new CorruptIndexError(`${join(dir, MANIFEST_FILE)} has format ${manifest.format}, not ${FORMAT}`, {
      kind: 'other_version',
    })
  return manifest
}

/** Each step is synced before the next one, so a crash leaves either the old manifest or the new one. */
export function writeManifest(dir: string, manifest: Manifest, failpoint: (name: string) => void): void {
  const json = JSON.stringify(manifest)
  const path = join(dir, MANIFEST_FILE)
  const file = openSync(`${path}.new`, 'w')
  try {
    writeFileSync(file, `${checksum(json)}\n${json}`)
    failpoint('manifest-written')
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  const folder = openFolder(dir)
  try {
    // The segments must be in the directory before a manifest names them.
    folder.sync()
    failpoint('manifest-synced')
    renameSync(`${path}.new`, path)
    failpoint('manifest-renamed')
    folder.sync()
  } finally {
    folder.close()
  }
}

const checksum = (json: string): string => crc32(json).toString(16).padStart(8, '0')

/** The directory is opened before the rename, because after it there may be no file descriptor left to sync with. */
function openFolder(dir: string): { sync(): void; close(): void } {
  // Windows cannot sync a directory, and its file system orders the rename itself.
  if (process.platform === 'win32') return { sync() {}, close() {} }
  const folder = openSync(dir, 'r')
  return { sync: () => fsyncSync(folder), close: () => closeSync(folder) }
}

export const packBits = (bits: Uint32Array): string =>
  bits.every((it) => it === 0) ? '' : Buffer.from(bits.buffer, bits.byteOffset, bits.byteLength).toString('base64')

export function* unpackBits(packed: string): Generator<number> {
  for (const [at, byte] of Buffer.from(packed, 'base64').entries()) {
    for (let bit = 0; bit < 8; bit++) if ((byte & (1 << bit)) !== 0) yield at * 8 + bit
  }
}
