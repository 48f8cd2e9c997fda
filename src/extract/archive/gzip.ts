// A gzip file: a compressed tar is read as an archive, anything else as the only part.
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { detectFileKind, HEAD_BYTES } from '../file-kind.ts'
import type { ReaderContext } from '../reader.ts'
import { checkArchiveDepth } from './archive.ts'
import { readTar } from './tar.ts'
import { limitUnpacked } from './zip-file.ts'

export async function readGzip(context: ReaderContext): Promise<void> {
  checkArchiveDepth(context)
  const unpacking = Readable.from([context.bytes]).pipe(createGunzip())
  const chunks: Buffer[] = []
  for await (const chunk of limitUnpacked(unpacking, context.bytes.length, context.budget)) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  const name = (context.name.split(/[\\/]/).at(-1) ?? '').replace(/\.tgz$/i, '.tar').replace(/\.gz$/i, '')
  if (detectFileKind(bytes.subarray(0, HEAD_BYTES), { name, mediaType: null }).kind !== 'tar')
    return context.part(name, bytes)
  context.facts({ kind: 'tar' })
  await readTar({ ...context, name, bytes })
}
