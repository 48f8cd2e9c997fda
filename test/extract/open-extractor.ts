// An extractor per test file, closed afterwards.
import { after } from 'node:test'
import type { ConnectorContext } from '../../src/connectors/connector.ts'
import { createExtractor, type Extraction, type ExtractLimits } from '../../src/extract/extract.ts'
import { withoutPictures } from '../../src/ingestion/source/scanned-pages.ts'

const extractor = createExtractor({ processes: 2 })
after(() => extractor.close())

export const extract = (
  bytes: string | Buffer,
  file_name: string,
  {
    limits = {},
    media_type = null,
    password = null,
    keepsPictures = false,
  }: {
    limits?: Partial<ExtractLimits>
    media_type?: string | null
    password?: string | null
    keepsPictures?: boolean
  } = {},
): Promise<Extraction> =>
  extractor.extract({
    source: { bytes: Buffer.from(bytes as Buffer) },
    file_name,
    media_type,
    password,
    limits,
    keepsPictures,
    signal: new AbortController().signal,
  })

/** `extract` as connectors call it. */
export const extracting: ConnectorContext['extract'] = ({ bytes, name, mediaType, as = null }) =>
  extractor
    .extract({
      source: { bytes },
      file_name: name,
      media_type: mediaType,
      as,
      signal: new AbortController().signal,
    })
    .then(withoutPictures)
