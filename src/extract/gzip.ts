// One file packed by itself. A packed archive is an archive; anything else is the one part of this.
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { checkDepth } from './archive.ts'
import { HEAD_BYTES, kindOf } from './kind.ts'
import type { Reading } from './reading.ts'
import { readTar } from './tar.ts'
import { counted } from './zip-file.ts'

export async function readGzip(reading: Reading): Promise<void> {
  checkDepth(reading)
  const unpacking = Readable.from([reading.bytes]).pipe(createGunzip())
  const pieces: Buffer[] = []
  for await (const piece of counted(unpacking, reading.bytes.length, reading.budget)) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  const name = (reading.name.split(/[\\/]/).at(-1) ?? '').replace(/\.tgz$/i, '.tar').replace(/\.gz$/i, '')
  if (kindOf(bytes.subarray(0, HEAD_BYTES), { name, mediaType: null }).kind !== 'tar') return reading.part(name, bytes)
  reading.facts({ kind: 'tar' })
  await readTar({ ...reading, name, bytes })
}
