// Removes the ORDER BY clause from a user's JQL or CQL query, so that the query can be combined with other conditions.

/** The clause follows the last quotation mark and the last parenthesis. */
export function stripOrderBy(query: string): string {
  const from = Math.max(...['"', "'", '(', ')'].map((it) => query.lastIndexOf(it))) + 1
  const at = query.slice(from).search(/\border\s+by\s/i)
  return at < 0 ? query : query.slice(0, from + at)
}
