// Grades the documents of one query by hand.
import { Button, TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Judgement, RankingPreviewResult } from '../../../../src/client/schemas.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { DocumentPicker } from '../ranking/document-picker.tsx'
import { textOf } from '../ranking/text-of.ts'
import { formatScore } from '../search/format-score.ts'
import { GradedDocument } from './graded-document.tsx'
import { useJudgementsOf, usePutJudgement, useRankedResults } from './judgement-queries.ts'

const MAX_QUERY = 2_048

export function Judge() {
  const t = textsOf('admin.relevance.judge')
  const search = useSearch({ from: '/signed-in/admin/admin/$page/{-$id}' })
  const navigate = useNavigate()
  const query = textOf(search.query)
  const [text, setText] = useState(query)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void navigate({ to: '.', search: { query: text.trim() }, replace: true })
  }
  return (
    <section className="card card-pad stack" aria-labelledby="judge">
      <h2 id="judge">{t('title')}</h2>
      <p className="dimmed">{t('help')}</p>
      <form className="relevance-query" onSubmit={submit}>
        <TextInput
          label={t('query')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maxLength={MAX_QUERY}
          autoComplete="off"
          required
          withAsterisk={false}
        />
        <Button type="submit" disabled={text.trim() === ''}>
          {t('show')}
        </Button>
      </form>
      {query !== '' && <JudgedQuery key={query} query={query} />}
    </section>
  )
}

function JudgedQuery({ query }: { query: string }) {
  const t = textsOf('admin.relevance.judge')
  const ranked = useRankedResults(query)
  const judgements = useJudgementsOf(query)
  const error = ranked.error ?? judgements.error
  if (error !== null) {
    const retry = () => void Promise.all([ranked.refetch(), judgements.refetch()])
    return <ErrorAlert error={error} retry={retry} />
  }
  if (ranked.data === undefined || judgements.data === undefined) return <LoadingSkeleton lines={8} />
  const { current, ndcg_10 } = ranked.data
  return (
    <>
      <p role="status">{ndcg_10 === null ? t('no_quality') : t('quality', { ndcg: formatScore(ndcg_10.current) })}</p>
      {current.length === 0 ? (
        <p className="dimmed">{t('nothing')}</p>
      ) : (
        <Results query={query} results={current} judgements={judgements.data} />
      )}
      <OtherJudged results={current} judgements={judgements.data} />
      <FindOther query={query} judgements={judgements.data} />
    </>
  )
}

interface ResultsProps {
  query: string
  results: readonly RankingPreviewResult[]
  judgements: readonly Judgement[]
}

function Results({ query, results, judgements }: ResultsProps) {
  const byDocument = new Map(judgements.map((it) => [it.document_id, it]))
  return (
    <ol className="relevance-results" aria-label={textsOf('admin.relevance.judge')('results')}>
      {results.map((it) => (
        <GradedDocument
          key={it.document_id}
          {...{ query, title: it.title, result: it }}
          document_id={it.document_id}
          judgement={byDocument.get(it.document_id)}
        />
      ))}
    </ol>
  )
}

/** Documents that should be found, but are not among the results. */
function OtherJudged({ results, judgements }: Omit<ResultsProps, 'query'>) {
  const t = textsOf('admin.relevance.judge')
  const shown = new Set(results.map((it) => it.document_id))
  const others = judgements.filter((it) => !shown.has(it.document_id))
  if (others.length === 0) return null
  return (
    <div>
      <h3>{t('others')}</h3>
      <ul className="relevance-results">
        {others.map((it) => (
          <GradedDocument
            key={it.document_id}
            query={it.query}
            document_id={it.document_id}
            title={it.semantic_identifier ?? it.document_id}
            judgement={it}
          />
        ))}
      </ul>
    </div>
  )
}

const BEST_GRADE = 3

function FindOther({ query, judgements }: Omit<ResultsProps, 'results'>) {
  const t = textsOf('admin.relevance.judge')
  const put = usePutJudgement()
  return (
    <details>
      <summary>{t('missing')}</summary>
      <div className="stack relevance-missing">
        <p className="small dimmed">{t('missing_help')}</p>
        {put.isError && <ErrorAlert error={put.error} />}
        <DocumentPicker
          initialQuery=""
          chosen={judgements.map((it) => it.document_id)}
          onChoose={(document_id) => put.mutate({ query, document_id, grade: BEST_GRADE })}
        />
      </div>
    </details>
  )
}
