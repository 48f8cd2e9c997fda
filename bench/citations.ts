// npm run eval -- citations DIR…
// Measures how well the citation verifier separates passages that support a sentence from others. Each query that states a
// fact is a sentence that cites three kinds of documents: relevant ones, the nearest irrelevant ones by words, and random
// ones. Starts no program.
import { appendToParagraph, emptyParagraph, extractClaim } from '../src/chat/citations/claim.ts'
import { createEvidenceIndex } from '../src/chat/citations/evidence-index.ts'
import type { Passage } from '../src/domain/chat/passage.ts'
import { createSearchDoc } from '../src/domain/chat/search-doc.ts'
import { extractTerms } from '../src/text/analyze.ts'
import { type Collection, readCollection } from './collection.ts'
import { print, progress, table } from './output.ts'

const NEAR = 10
const FAR = 3
const KINDS = ['relevant', 'near', 'far'] as const
type PassageKind = (typeof KINDS)[number]

export async function evaluateCitations(folders: readonly string[]): Promise<0> {
  const rows: (string | number)[][] = []
  for (const folder of folders) rows.push(measure(await readCollection(folder)))
  print(table(['set', 'sentences', 'kept: relevant', 'kept: similar words', 'kept: unrelated'], rows))
  return 0
}

function measure({ name, documents, queries }: Collection): (string | number)[] {
  const nearest = createKeywordSearch(documents.map(({ title, text }) => `${title}\n${text}`))
  const places = new Map(documents.map(({ id }, at) => [id, at]))
  const counts = { relevant: [0, 0], near: [0, 0], far: [0, 0] } satisfies Record<PassageKind, [number, number]>
  const bar = progress(`${name}: sentences`, queries.length)
  for (const { text, judgements } of queries) {
    const relevant = [...judgements].flatMap(([id, grade]) => (grade > 0 && places.has(id) ? [places.get(id)!] : []))
    const near = nearest(text).filter((it) => !relevant.includes(it))
    const far = Array.from({ length: FAR }, (_, nth) => ((near[0] ?? 0) * 31 + nth * 977) % documents.length)
    const given = [...relevant, ...near, ...far.filter((it) => !relevant.includes(it) && !near.includes(it))]
    const passages = given.map((at) => ({ at, passage: passageOf(documents[at]!) }))
    const numbered = new Map(passages.map(({ passage }, nth) => [nth + 1, passage]))
    const library = createEvidenceIndex(() => numbered)
    const claim = extractClaim(appendToParagraph(emptyParagraph, text), '', '')
    for (const { at, passage } of passages) {
      const count = counts[relevant.includes(at) ? 'relevant' : near.includes(at) ? 'near' : 'far']
      count[1]!++
      if (library.supports(claim, passage, [passage])) count[0]!++
    }
    bar.step()
  }
  bar.end()
  return [
    name,
    queries.length,
    ...KINDS.map((it) => `${((100 * counts[it][0]!) / Math.max(1, counts[it][1]!)).toFixed(1)} %`),
  ]
}

/** A short BM25 of its own, so that the program does not choose its own test data. */
function createKeywordSearch(texts: readonly string[]): (query: string) => number[] {
  const frequencies = texts.map((text) => {
    const counts = new Map<string, number>()
    for (const term of extractTerms(text, 'en')) counts.set(term, (counts.get(term) ?? 0) + 1)
    return counts
  })
  const postings = new Map<string, number[]>()
  for (const [at, counts] of frequencies.entries())
    for (const term of counts.keys()) postings.set(term, [...(postings.get(term) ?? []), at])
  const lengths = frequencies.map((it) => it.values().reduce((sum, count) => sum + count, 0))
  const average = lengths.reduce((sum, it) => sum + it, 0) / texts.length
  return (query) => {
    const scores = new Map<number, number>()
    for (const term of new Set(extractTerms(query, 'en'))) {
      const places = postings.get(term) ?? []
      const rarity = Math.log(1 + (texts.length - places.length + 0.5) / (places.length + 0.5))
      for (const at of places) {
        const count = frequencies[at]!.get(term)!
        const weight = (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * lengths[at]!) / average))
        scores.set(at, (scores.get(at) ?? 0) + weight)
      }
    }
    return [...scores]
      .sort((a, b) => b[1] - a[1])
      .slice(0, NEAR)
      .map(([at]) => at)
  }
}

const passageOf = ({ id, title, text }: Collection['documents'][number]): Passage => ({
  document: createSearchDoc({ document_id: id, semantic_identifier: title, source_type: 'eval' }),
  text,
  chunk_inds: [0, 0],
  link: null,
  warnings: [],
})
