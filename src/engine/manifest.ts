// Which segments are the index, without which of their groups, and how far it is. Replaced as a whole, or not at all.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { DamageError } from './damage.ts'
import { FORMAT } from './segment-file.ts'

export interface Manifest {
  format: number
  /** What the postings' bounds and the filters were made for; an index made for others is filled again. */
  b: number
  dimensions: readonly string[]
  nextId: number
  /** Opaque: what `position` counts in. */
  record: string
  /** Opaque: the caller's number of the last batch that is in it. */
  position: number
  segments: { id: number; file: string; deleted: string }[]
}

const NAME = 'manifest'

/** None in a new folder. */
export function readManifest(dir: string): Manifest | undefined {
  let text: string
  try {
    text = readFileSync(join(dir, NAME), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const end = text.indexOf('\n')
  const json = text.slice(end + 1)
  if (end < 0 || text.slice(0, end) !== checksum(json)) throw new DamageError(`${join(dir, NAME)} is damaged`)
  const manifest = JSON.parse(json) as Manifest
  if (manifest.format !== FORMAT)
    throw new DamageError(`${join(dir, NAME)} has format ${manifest.format}, not ${FORMAT}`, { kind: 'other_version' })
  return manifest
}

/** Every step reaches the disk before the next: a crash leaves the old manifest or the new one. */
export function writeManifest(dir: string, manifest: Manifest, failpoint: (name: string) => void): void {
  const json = JSON.stringify(manifest)
  const path = join(dir, NAME)
  const file = openSync(`${path}.new`, 'w')
  writeFileSync(file, `${checksum(json)}\n${json}`)
  failpoint('manifest-written')
  fsyncSync(file)
  closeSync(file)
  // The segments' names are in the folder before a manifest names them.
  syncFolder(dir)
  failpoint('manifest-synced')
  renameSync(`${path}.new`, path)
  failpoint('manifest-renamed')
  syncFolder(dir)
}

const checksum = (json: string): string => crc32(json).toString(16).padStart(8, '0')

function syncFolder(dir: string): void {
  // Windows cannot sync a folder, and its file system orders the rename by itself.
  if (process.platform === 'win32') return
  const folder = openSync(dir, 'r')
  fsyncSync(folder)
  closeSync(folder)
}

export const packBits = (bits: Uint32Array): string =>
  bits.every((it) => it === 0) ? '' : Buffer.from(bits.buffer, bits.byteOffset, bits.byteLength).toString('base64')

export function* setBitsOf(packed: string): Generator<number> {
  for (const [at, byte] of Buffer.from(packed, 'base64').entries()) {
    for (let bit = 0; bit < 8; bit++) if ((byte & (1 << bit)) !== 0) yield at * 8 + bit
  }
}
