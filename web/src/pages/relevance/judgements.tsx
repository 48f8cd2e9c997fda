// All grades that were given by hand, oldest first.
import { Alert, Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { listJudgements } from '../../../../src/client/operations.ts'
import type { Judgement } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { CsvLink } from '../../parts/csv/csv-button.tsx'
import { EndButton, RecordTable } from '../../parts/record-table.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { gradeOf } from './graded-document.tsx'
import { useDeleteJudgement, usePutJudgement } from './judgement-queries.ts'

const PAGE_SIZE = 50
const CSV = '/api/admin/relevance/judgements/csv'

const useJudgements = () =>
  useInfiniteQuery({
    queryKey: ['judged', 'all'],
    queryFn: ({ signal, pageParam }) => listJudgements(api, { limit: PAGE_SIZE, after: pageParam, signal }),
    initialPageParam: 0,
    getNextPageParam: (last) => (last.length < PAGE_SIZE ? undefined : last.at(-1)?.id),
  })

export function Judgements() {
  const t = textsOf('admin.relevance.judgements')
  const judgements = useJudgements()
  const rows = judgements.data?.pages.flat()
  return (
    <section className="card" aria-labelledby="judgements">
      <div className="section-head">
        <h2 id="judgements">{t('title')}</h2>
        {rows !== undefined && rows.length > 0 && <CsvLink size="xs" href={CSV} file="judgements" />}
      </div>
      {judgements.isError && <ErrorAlert error={judgements.error} retry={() => void judgements.refetch()} />}
      {judgements.isPending && <LoadingSkeleton lines={5} />}
      {rows !== undefined && <JudgementTable rows={rows} />}
      {judgements.hasNextPage && (
        <div className="section-end">
          <Button
            size="xs"
            variant="default"
            loading={judgements.isFetchingNextPage}
            onClick={() => void judgements.fetchNextPage()}
          >
            {textsOf('parts')('show_more')}
          </Button>
        </div>
      )}
    </section>
  )
}

function JudgementTable({ rows }: { rows: readonly Judgement[] }) {
  const t = textsOf('admin.relevance.judgements')
  const [deleted, setDeleted] = useState<Judgement | null>(null)
  const remove = useDeleteJudgement()
  const put = usePutJudgement()
  const error = remove.error ?? put.error
  const restore = ({ query, document_id, grade }: Judgement) =>
    put.mutate({ query, document_id, grade }, { onSuccess: () => setDeleted(null) })
  return (
    <>
      {error !== null && <ErrorAlert error={error} />}
      {deleted !== null && (
        <Alert color="yellow" variant="light" role="status" title={t('deleted')} className="relevance-note">
          <Button size="xs" variant="default" loading={put.isPending} onClick={() => restore(deleted)}>
            {t('undo')}
          </Button>
        </Alert>
      )}
      {rows.length === 0 ? (
        <EmptyState icon="thumbUp" title={t('none')}>
          {t('none_help')}
        </EmptyState>
      ) : (
        <RecordTable
          label={t('title')}
          rows={rows}
          keyOf={(it) => it.id}
          columns={[
            { label: t('query'), className: 'long-text', cell: (it) => <JudgedQuery query={it.query} /> },
            { label: t('document'), className: 'long-text', cell: (it) => <JudgedDocument judgement={it} /> },
            { label: t('grade'), className: 'nowrap', cell: (it) => textOfGrade(it.grade) },
            { label: t('judged'), className: 'nowrap', cell: (it) => <Time at={it.judged_at} /> },
          ]}
          action={(it) => (
            <EndButton
              label={textsOf('parts')('delete')}
              longLabel={t('delete_of', { query: it.query, document: it.semantic_identifier ?? it.document_id })}
              onClick={() => remove.mutate(it.id, { onSuccess: () => setDeleted(it) })}
            />
          )}
        />
      )}
    </>
  )
}

const textOfGrade = (grade: number): string => textsOf('admin.relevance.judge')(`grades.${gradeOf(grade)}`)

/** A link to the form above. */
const JudgedQuery = ({ query }: { query: string }) => (
  <Link to="/admin/$page/{-$id}" params={{ page: 'relevance', id: undefined }} search={{ query }} activeProps={{}}>
    <bdi>{query}</bdi>
  </Link>
)

const JudgedDocument = ({ judgement: { semantic_identifier, document_id } }: { judgement: Judgement }) => (
  <>
    {semantic_identifier !== null && <bdi>{semantic_identifier}</bdi>}
    <div className="small dimmed">
      <bdi>{document_id}</bdi>
    </div>
  </>
)
