import { command } from './command.ts'

export const evaluate = command({
  name: 'eval',
  summary: 'Measures how well search ranks, on test collections.',
  usage: 'DIR… [options]',
  words: { min: 1, max: Number.POSITIVE_INFINITY },
  options: {
    url: { type: 'string', value: 'URL', help: 'ask this service instead of one started for it' },
    key: { type: 'string', value: 'KEY', help: 'its API key' },
    keep: { type: 'boolean', help: 'keep the data of the service that was started' },
    json: { type: 'boolean', help: 'print the figures as JSON' },
    assert: { type: 'boolean', help: 'end with 1 when the ranking is worse than plain BM25' },
  },
  help: `Each DIR holds a collection in the layout of BEIR: corpus.jsonl.gz, queries.jsonl, qrels.tsv. Its documents are pushed
through the service, its queries asked, and the rankings compared with the judgements (nDCG@10, recall@100).

  pharos eval collections/scifact collections/nfcorpus`,
  run: ({ offline, pathOf }, { values, words }) => offline.evaluate(words.map(pathOf), values),
})
