import { Button } from '@mantine/core'
import { useState } from 'react'
import type { RemovedCitations } from '../../../../src/client/schemas.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { exactTime, formatCount, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { AnswerDialog } from './answer-dialog.tsx'

export type ListedAnswer = NonNullable<RemovedCitations['answers']>[number]

export function AnswerTable({ answers }: { answers: readonly ListedAnswer[] }) {
  const t = textsOf('admin.citations')
  const [opened, setOpened] = useState<ListedAnswer | null>(null)
  return (
    <>
      <RecordTable
        label={t('answers')}
        rows={answers}
        keyOf={(it) => it.message_id}
        columns={[
          { label: t('time'), className: 'nowrap', cell: (it) => <Time at={it.time_sent} /> },
          { label: t('model'), className: 'long-text', cell: (it) => <bdi>{it.model ?? t('not_known')}</bdi> },
          { label: t('agent'), className: 'long-text', cell: (it) => <bdi>{it.persona_name ?? t('not_known')}</bdi> },
          { label: t('removed'), className: 'number', cell: (it) => formatCount(it.citations_removed) },
        ]}
        action={(it) => (
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={t('show_of', { time: exactTime(it.time_sent) })}
            onClick={() => setOpened(it)}
          >
            {t('show')}
          </Button>
        )}
      />
      {opened !== null && <AnswerDialog listed={opened} onClose={() => setOpened(null)} />}
    </>
  )
}
