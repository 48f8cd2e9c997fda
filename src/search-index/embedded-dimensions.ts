// What documents are filtered by, as the engine knows it.

/**
 * `shape` tells documents without chunks, whose only entry is their title. `author` has names to be read, `author-key`
 * what they are found by.
 */
export const DIMENSIONS = ['source', 'access', 'pair', 'tag', 'shape', 'author', 'author-key'] as const
export const BARE = 'bare'
