// One extractor for a test file, closed after it.
import { after } from 'node:test'
import { createExtractor, type Extraction, type Limits } from '../../src/extract/extract.ts'

const extractor = createExtractor({ processes: 2 })
after(() => extractor.close())

export const extract = (
  bytes: string | Buffer,
  file_name: string,
  {
    limits = {},
    media_type = null,
    password = null,
  }: { limits?: Partial<Limits>; media_type?: string | null; password?: string | null } = {},
): Promise<Extraction> =>
  extractor.extract({
    source: { bytes: Buffer.from(bytes as Buffer) },
    file_name,
    media_type,
    password,
    limits,
    signal: new AbortController().signal,
  })
