// Answers that lost citations: how many, when, and which.
import { Pagination } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listRemovedCitations } from '../../../../src/client/operations.ts'
import type { RemovedCitations } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { DayBars } from '../../parts/day-bars.tsx'
import { type Period, PeriodChoice } from '../../parts/period-choice.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { AnswerTable } from './answer-table.tsx'

const PAGE_SIZE = 20

export function CitationsPage() {
  const t = textsOf('admin.citations')
  const [days, setDays] = useState<Period>(30)
  const [page, setPage] = useState(1)
  const found = useQuery({
    queryKey: ['removed-citations', days, page],
    queryFn: ({ signal }) => listRemovedCitations(api, { days, page_num: page - 1, page_size: PAGE_SIZE, signal }),
    placeholderData: keepPreviousData,
  })
  useTitle(t('title'))
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
        <PeriodChoice
          days={days}
          onChange={(it) => {
            setDays(it)
            setPage(1)
          }}
        />
      </div>
      <div className="stack">
        {found.isError && <ErrorAlert error={found.error} retry={() => void found.refetch()} />}
        {found.isPending && <LoadingSkeleton lines={6} />}
        {found.data?.total_answers === 0 && (
          <div className="card">
            <EmptyState icon="check" title={t('empty')}>
              {t('empty_help')}
            </EmptyState>
          </div>
        )}
        {found.data !== undefined && found.data.total_answers > 0 && (
          <Found found={found.data} page={page} onPage={setPage} />
        )}
      </div>
    </>
  )
}

interface FoundProps {
  found: RemovedCitations
  page: number
  onPage: (page: number) => void
}

function Found({ found: { from, by_day, total_answers, answers }, page, onPage }: FoundProps) {
  const t = textsOf('admin.citations')
  const parts = textsOf('parts')
  const citations = by_day.reduce((sum, it) => sum + it.citations, 0)
  const pages = Math.ceil(total_answers / PAGE_SIZE)
  return (
    <>
      <section className="card card-pad stack" aria-label={t('by_day')}>
        <p>{t('found', { answers: total_answers, citations })}</p>
        <DayBars
          from={from}
          values={new Map(by_day.map((it) => [it.day, it.citations]))}
          title={t('by_day')}
          label={(facts) => t('plot', facts)}
          barLabel={(facts) => t('bar', facts)}
        />
      </section>
      {answers === null ? (
        <div className="card">
          <EmptyState icon="key" title={t('closed')}>
            {t('closed_help')}
          </EmptyState>
        </div>
      ) : (
        <section className="card" aria-labelledby="answers">
          <div className="section-head">
            <h2 id="answers">{t('answers')}</h2>
          </div>
          <AnswerTable answers={answers} />
          {pages > 1 && (
            <nav className="section-end" aria-label={t('pages')}>
              <Pagination
                value={page}
                onChange={onPage}
                total={pages}
                size="sm"
                getItemProps={(it) => ({ 'aria-label': t('page', { page: it }) })}
                getControlProps={(control) => ({
                  'aria-label': control === 'previous' ? parts('previous_page') : parts('next_page'),
                })}
              />
            </nav>
          )}
        </section>
      )}
    </>
  )
}
