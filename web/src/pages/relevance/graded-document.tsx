// A document with the grades that it can have for a query. The pressed grade is the one it has; pressing it takes it back.
import { Button } from '@mantine/core'
import type { Judgement, RankingPreviewResult } from '../../../../src/client/schemas.ts'
import { safeHref } from '../../parts/safe-link.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { HighlightedText, sourceLabel, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { useDeleteJudgement, usePutJudgement } from './judgement-queries.ts'

export const GRADES = [0, 1, 2, 3] as const

interface Props {
  query: string
  document_id: string
  title: string
  /** Undefined when the document is not among the results. */
  result?: RankingPreviewResult
  judgement: Judgement | undefined
}

export function GradedDocument({ query, document_id, title, result, judgement }: Props) {
  const href = safeHref(result?.link ?? null)
  const name = <bdi>{title}</bdi>
  return (
    <li>
      <div className="relevance-document">
        <h3 dir="auto">
          {href === undefined ? (
            name
          ) : (
            <a href={href} target="_blank" rel="noopener noreferrer">
              {name}
            </a>
          )}
        </h3>
        {result !== undefined && (
          <>
            <p className="small dimmed relevance-facts">
              <span>{sourceLabel(result.source_type)}</span>
              {result.doc_updated_at !== null && <Time at={result.doc_updated_at} />}
            </p>
            <p className="small" dir="auto">
              <HighlightedText text={result.blurb} spans={result.highlights} />
            </p>
          </>
        )}
      </div>
      <Grades {...{ query, document_id, title, judgement }} feedback={result?.grade ?? null} />
    </li>
  )
}

interface GradesProps extends Pick<Props, 'query' | 'document_id' | 'title' | 'judgement'> {
  /** The grade that clicks and thumbs give when nobody judged by hand. */
  feedback: number | null
}

function Grades({ query, document_id, title, judgement, feedback }: GradesProps) {
  const t = textsOf('admin.relevance.judge')
  const put = usePutJudgement()
  const remove = useDeleteJudgement()
  const error = put.error ?? remove.error
  const press = (grade: number) =>
    judgement?.grade === grade ? remove.mutate(judgement.id) : put.mutate({ query, document_id, grade })
  return (
    <div className="relevance-grades">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a visible legend for each document. */}
      <div role="group" aria-label={t('grade_of', { title })} className="row">
        {GRADES.map((grade) => {
          const isPressed = judgement?.grade === grade
          return (
            <Button
              key={grade}
              size="compact-sm"
              variant={isPressed ? 'filled' : 'default'}
              aria-pressed={isPressed}
              disabled={put.isPending || remove.isPending}
              onClick={() => press(grade)}
            >
              {t(`grades.${grade}`)}
            </Button>
          )
        })}
      </div>
      {judgement === undefined && feedback !== null && (
        <p className="small dimmed">{t('from_feedback', { grade: t(`grades.${gradeOf(feedback)}`) })}</p>
      )}
      {error !== null && <ErrorAlert error={error} />}
    </div>
  )
}

export const gradeOf = (grade: number): (typeof GRADES)[number] => GRADES.find((it) => it === grade) ?? 0
