/**
 * Pages that hardly ever answer a question by themselves. `list`: an index, a table of contents or another list of
 * links. `changes`: release notes or a change log.
 */
export const PAGE_KINDS = ['list', 'changes'] as const
export type PageKind = (typeof PAGE_KINDS)[number]
