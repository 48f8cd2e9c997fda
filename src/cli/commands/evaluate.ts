import { defineCommand } from '../command.ts'

export const evaluate = defineCommand({
  name: 'eval',
  summary: 'Measures the ranking of search on test collections.',
  usage: 'DIR… [options]',
  positionals: { min: 1, max: Number.POSITIVE_INFINITY },
  options: {
    url: { type: 'string', value: 'URL', help: 'use this service instead of starting one' },
    key: { type: 'string', value: 'KEY', help: 'API key of that service' },
    keep: { type: 'boolean', help: 'keep the data of the started service' },
    json: { type: 'boolean', help: 'print the results as JSON' },
    assert: { type: 'boolean', help: 'exit with 1 if the ranking is worse than plain BM25' },
  },
  help: `Each DIR contains a collection in BEIR format: corpus.jsonl.gz, queries.jsonl, qrels.tsv. The command pushes the
documents, runs the queries and compares the rankings with the relevance judgements (nDCG@10, recall@100).

  pharos eval collections/scifact collections/nfcorpus`,
  run: async ({ openOffline, pathOf }, { values, positionals }) =>
    (await openOffline()).evaluate(positionals.map(pathOf), values),
})
