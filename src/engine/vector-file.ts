// The vectors as they came, by row: read for the few that are weighed exactly.
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { DamageError } from './damage.ts'

export interface VectorFile {
  write(slot: number, vector: Float32Array): void
  read(slot: number): Float32Array
  close(): void
}

export function openVectorFile(path: string, dimension: number, mode: 'new' | 'read'): VectorFile {
  const file = openSync(path, mode === 'new' ? 'w+' : 'r')
  const bytes = dimension * 4
  return {
    write(slot, vector) {
      const row = new Uint8Array(vector.buffer, vector.byteOffset, bytes)
      for (let at = 0; at < bytes; ) at += writeSync(file, row, at, bytes - at, slot * bytes + at)
    },
    read(slot) {
      const vector = new Float32Array(dimension)
      const found = readSync(file, new Uint8Array(vector.buffer), 0, bytes, slot * bytes)
      if (found !== bytes) throw new DamageError(`${path} has no row ${slot}`)
      return vector
    },
    close: () => closeSync(file),
  }
}
