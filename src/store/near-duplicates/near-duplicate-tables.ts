// Row types of the tables of near duplicates.

export interface NearDuplicateTables {
  document_signature: {
    document_id: string
    signature: string
    /** The sequence number of a change that made the group; null for a document that no other one is like. */
    group_id: number | null
  }
  signature_band: { band: number; document_id: string }
}
