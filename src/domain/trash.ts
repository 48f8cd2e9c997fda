// Why a document is in the trash.

/** `request`: a client deleted it. `pair`: its connector was deleted. `prune`: its source no longer has it. */
export const DELETION_CAUSES = ['request', 'pair', 'prune'] as const
export type DeletionCause = (typeof DELETION_CAUSES)[number]
