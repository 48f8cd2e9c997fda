// The dimensions by which the engine filters documents.

/**
 * `shape` marks documents without chunks, whose only passage is their title. `author` holds names to display,
 * `author-key` the keys by which authors are found.
 */
export const DIMENSIONS = ['source', 'access', 'pair', 'tag', 'shape', 'author', 'author-key'] as const
export const NO_CHUNKS = 'bare'
