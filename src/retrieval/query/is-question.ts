// Tells whether a query asks, in English or with a question mark.

const AUXILIARIES = ['do', 'does', 'did', 'is', 'are', 'was', 'were', 'can', 'could', 'should', 'would', 'will', 'may']
const ASKING_WORDS = new Set([
  ...['what', 'which', 'who', 'whom', 'whose', 'when', 'where', 'why', 'how'],
  ...[...AUXILIARIES, 'must', 'has', 'have'],
])

export const isQuestion = (query: string): boolean =>
  query.trimEnd().endsWith('?') || ASKING_WORDS.has(/^\s*(\p{L}+)/u.exec(query)?.[1]?.toLowerCase() ?? '')
