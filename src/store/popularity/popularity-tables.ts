// Row types of what makes a document popular.

export interface PopularityTables {
  document_popularity: {
    document_id: string
    /** See `queryKey`; empty for all queries. */
    query_key: string
    /** See `clickLevel`. */
    level: number
  }
  linked_document: { document_id: string; cc_pair_id: number; links: number }
}
