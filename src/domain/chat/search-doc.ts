import { z } from 'zod'

/** A search result as the wire format shows it beside answers and to administrators. */
export const SearchDoc = z
  .object({
    document_id: z.string(),
    chunk_ind: z.int(),
    semantic_identifier: z.string(),
    link: z.string().nullable(),
    blurb: z.string(),
    source_type: z.string(),
    boost: z.int(),
    hidden: z.boolean(),
    metadata: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    score: z.number().nullable(),
    is_relevant: z.boolean().nullable(),
    relevance_explanation: z.string().nullable(),
    match_highlights: z.array(z.string()).describe('`blurb` as safe HTML, with matching words in <mark>.'),
    updated_at: z.iso.datetime().nullable(),
    primary_owners: z.array(z.string()),
    secondary_owners: z.array(z.string()),
    is_internet: z.boolean(),
    file_id: z.string().nullable(),
  })
  .meta({ id: 'SearchDoc' })
export type SearchDoc = z.infer<typeof SearchDoc>

type SearchDocFields = Partial<SearchDoc> & Pick<SearchDoc, 'document_id' | 'semantic_identifier' | 'source_type'>

/** Fills unknown fields with defaults. */
export const createSearchDoc = ({
  document_id,
  semantic_identifier,
  source_type,
  ...more
}: SearchDocFields): SearchDoc => ({
  document_id,
  chunk_ind: 0,
  semantic_identifier,
  link: null,
  blurb: '',
  source_type,
  boost: 0,
  hidden: false,
  metadata: {},
  score: null,
  is_relevant: null,
  relevance_explanation: null,
  match_highlights: [],
  updated_at: null,
  primary_owners: [],
  secondary_owners: [],
  is_internet: false,
  file_id: null,
  ...more,
})
