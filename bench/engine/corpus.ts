// A synthetic company: documents with the word frequencies of real prose, topics, dates and access lists.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { accessForPerson, groupToken, publicToken } from '../../src/domain/access.ts'
import { type FacetRequest, type Query, recentTimeRanges, type TermsQuery } from '../../src/domain/search/query.ts'
import type { IndexDocument } from '../../src/search-index/search-index.ts'
import { type Random, seeded } from '../../test/random.ts'

const VOCABULARY = 60_000
const TOPICS = 400
const WORDS_PER_TOPIC = 300
const GROUPS = 2_000
const SOURCES = 20
const YEARS_MS = 3.4 * 365 * 86_400_000
const NOW = Date.UTC(2026, 10, 21)
/** Does not use the random generator, so that the texts stay the same. */
const AUTHORS = Array.from({ length: 500 }, (_, at) => ({ name: `Author ${at}`, email: `author${at}@example.com` }))
/** The share of words that belong to the topic of the text. */
const TOPIC_SHARE = 0.4
const STOP_WORDS = ['how', 'to', 'the', 'in', 'of', 'a', 'is', 'for', 'do', 'what', 'and', 'with', 'on', 'we', 'can']

/**
 * `open` queries come from a caller who may read everything. All others except `phrase` come from a different caller
 * each time, who belongs to 20 groups: `plain` has no filters, `filtered` has sources and a time range, `faceted` also
 * counts five facets, `newest` is sorted by time. `phrase` is two of the most common words that are not stop words.
 */
export type QueryKind = 'open' | 'plain' | 'filtered' | 'faceted' | 'phrase' | 'newest'

export interface Corpus {
  documents(chunks: number): Generator<IndexDocument>
  /** 1 to 6 content words and up to 3 stop words. */
  queries(count: number, kind: QueryKind): Query[]
  /** The access list of a caller who may read everything. */
  everybody: Query['access']
  /** Uses prefixes of common words, or common words with two letters swapped. */
  termsQueries(count: number, kind: 'prefix' | 'near'): TermsQuery[]
}

export function createCorpus(seed: number): Corpus {
  const vocabulary = readVocabulary()
  const draw = vocabulary.draw
  const topics = Array.from({ length: TOPICS }, (_, at) => topicWords(vocabulary.words, seeded(seed + at)))
  const topicDraw = zipf(WORDS_PER_TOPIC)
  const text = (random: Random, topic: readonly string[], words: number) => {
    const parts: string[] = []
    for (let at = 0; at < words; at++) {
      const word = random() < TOPIC_SHARE ? topic[topicDraw(random)]! : vocabulary.words[draw(random)]!
      parts.push(random() < 0.08 ? `${word}.` : word)
    }
    return parts.join(' ')
  }
  return {
    *documents(chunks) {
      const random = seeded(seed)
      for (let made = 0, number = 0; made < chunks; number++) {
        const size = Math.min(chunks - made, sizeOf(random))
        made += size
        const topic = topics[random.below(TOPICS)]!
        yield {
          document_id: `https://intranet.example/${number % 20}/pages/${number}`,
          title: text(random, topic, 3 + random.below(6)),
          source_type: `source${random.below(SOURCES)}`,
          updated_at: NOW - Math.floor(random() * YEARS_MS),
          tags: [{ tag_key: 'team', tag_value: `t${random.below(50)}` }],
          authors: [AUTHORS[number % AUTHORS.length]!],
          cc_pair_ids: [1 + random.below(40)],
          access: accessList(random),
          chunks: Array.from({ length: size }, (_, chunk_ind) => ({
            chunk_ind,
            content: text(random, topic, 60 + random.below(121)),
            link: null,
          })),
        }
      }
    },
    everybody: EVERYBODY,
    queries(count, kind) {
      const random = seeded(seed ^ 0x5eed)
      return Array.from({ length: count }, () => queryOf(random, topics, vocabulary.words, kind))
    },
    termsQueries(count, kind) {
      const random = seeded(seed ^ 0x7e57)
      return Array.from({ length: count }, () => termsQueryOf(random, vocabulary.words, kind))
    },
  }
}

function termsQueryOf(random: Random, words: readonly string[], kind: 'prefix' | 'near'): TermsQuery {
  const common = words.filter((it) => it.length === 10).slice(0, 200)
  const word = common[random.below(common.length)]!
  const groups = Array.from({ length: 20 }, () => `g${random.below(GROUPS)}`)
  const asked = { access: accessForPerson({ email: null, groups }, []), filters: {}, limit: 10 }
  if (kind === 'prefix') return { ...asked, prefix: word.slice(0, 3) }
  return { ...asked, near: `${word.slice(0, 4)}${word[5]}${word[4]}${word.slice(6)}`, max_edits: 2 }
}

/** 1 to 40 chunks, 4.5 on average. */
const sizeOf = (random: Random): number => Math.min(40, 1 + Math.floor(-Math.log(1 - random()) * 3.7))

function accessList(random: Random): string[] {
  if (random() < 0.15) return [publicToken]
  return Array.from({ length: 1 + random.below(4) }, () => groupToken(`g${random.below(GROUPS)}`))
}

function queryOf(random: Random, topics: string[][], words: string[], kind: QueryKind): Query {
  const topic = topics[random.below(TOPICS)]!
  const telling = Array.from({ length: 1 + random.below(6) }, () =>
    random() < 0.7 ? topic[Math.floor(random() ** 2 * WORDS_PER_TOPIC)]! : words[100 + random.below(5_000)]!,
  )
  const filler = Array.from({ length: random.below(4) }, () => STOP_WORDS[random.below(STOP_WORDS.length)]!)
  const groups = Array.from({ length: 20 }, () => `g${random.below(GROUPS)}`)
  const filters = {
    source_types: Array.from({ length: 7 }, (_, at) => `source${(at * 3 + random.below(3)) % SOURCES}`),
    updated_from: NOW - Math.floor(YEARS_MS * (0.3 + 0.7 * random())),
  }
  const query: Query = {
    text: [...filler, ...telling].join(' '),
    access: accessForPerson({ email: null, groups }, []),
    filters: kind === 'filtered' || kind === 'faceted' ? filters : {},
    offset: 0,
    limit: 20,
  }
  if (kind === 'faceted') return { ...query, facets: FACETS }
  if (kind === 'newest') return { ...query, sort: 'newest' }
  if (kind === 'open') return { ...query, access: EVERYBODY }
  if (kind !== 'phrase') return query
  const common = words.filter((it) => it.length > 3).slice(20, 120)
  const phrase = `${common[random.below(100)]} ${common[random.below(100)]}`
  // The caller may read everything, so that no filter saves work.
  return { ...query, text: phrase, phrases: [phrase], access: EVERYBODY }
}

const EVERYBODY = accessForPerson({ email: null, groups: Array.from({ length: GROUPS }, (_, at) => `g${at}`) }, [])
const FACETS: readonly FacetRequest[] = [
  { field: 'source_type', size: 20 },
  { field: 'author', size: 20 },
  { field: 'cc_pair', size: 20 },
  { field: 'tag', size: 20 },
  { field: 'time', spans: recentTimeRanges(NOW) },
]

/** Topic words come from the middle of the vocabulary: neither function words nor the rarest words. */
function topicWords(words: readonly string[], random: Random): string[] {
  return Array.from({ length: WORDS_PER_TOPIC }, () => words[150 + Math.floor(random() ** 2 * (words.length - 150))]!)
}

/**
 * Words from the texts of the installed packages, most frequent first, followed by synthetic ones. They are drawn by
 * frequency.
 */
function readVocabulary(): { words: string[]; draw: (random: Random) => number } {
  const counts = new Map<string, number>()
  for (const file of readdirSync('node_modules', { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.md')) continue
    const text = readFileSync(join('node_modules', file), 'utf8').toLowerCase()
    for (const [word] of text.matchAll(/\b[a-z]{1,20}\b/g)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a).slice(0, VOCABULARY)
  const words = sorted.map(([word]) => word)
  const weights = sorted.map(([, count]) => count)
  const random = seeded(7)
  while (words.length < VOCABULARY) {
    words.push(inventedWord(random))
    weights.push(1_000 / words.length)
  }
  return { words, draw: drawBy(weights) }
}

const SYLLABLES = 'ba be co da di fa go he ka la le ma mi no pa ra ri sa so ta te to ul va ve'.split(' ')
const inventedWord = (random: Random): string =>
  Array.from({ length: 2 + random.below(4) }, () => SYLLABLES[random.below(SYLLABLES.length)]).join('') +
  random.below(10)

const zipf = (size: number) => drawBy(Array.from({ length: size }, (_, at) => 1 / (at + 1)))

function drawBy(weights: readonly number[]): (random: Random) => number {
  const sums = new Float64Array(weights.length)
  let sum = 0
  for (const [at, weight] of weights.entries()) sums[at] = sum += weight
  return (random) => {
    const wanted = random() * sum
    let low = 0
    let high = sums.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sums[middle]! > wanted) high = middle
      else low = middle + 1
    }
    return low
  }
}
