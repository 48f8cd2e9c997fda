import type { Access } from './access.ts'

/** A condition inside a list is an OR, the lists together an AND; an absent list is no condition. */
export interface Filters {
  source_types?: readonly string[]
  /** Documents of at least one of these cc-pairs; how a document set reaches the index. */
  cc_pair_ids?: readonly number[]
  tags?: readonly { tag_key: string; tag_value: string }[]
  /** Epoch milliseconds, inclusive. */
  updated_from?: number
  updated_until?: number
}

/** A search as the index understands it. Without `access` it cannot be built. */
export interface Query {
  text: string
  access: Access
  filters: Filters
  offset: number
  limit: number
}
