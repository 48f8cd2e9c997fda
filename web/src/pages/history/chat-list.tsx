import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ChatSessionMinimal } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { PersonField } from '../../parts/person-field.tsx'
import { type Column, RecordTable } from '../../parts/record-table.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { Feedback } from './feedback.tsx'
import { chatsQuery, csvAddress, FEEDBACKS, type HistoryFields, NO_FILTER, PAGE_SIZE } from './history-query.ts'

/** The service is asked, and the audit written, when nothing was typed for so long. */
const TYPING_MS = 600

export function ChatList({ isNamed }: { isNamed: boolean }) {
  const t = textsOf('admin.history')
  const [{ fields, page }, setPlace] = useState({ fields: NO_FILTER, page: 0 })
  const [asked] = useDebouncedValue(fields, TYPING_MS)
  const chats = useQuery(chatsQuery(asked, page))
  return (
    <>
      <Filters fields={fields} isNamed={isNamed} onChange={(changed) => setPlace({ fields: changed, page: 0 })} />
      {chats.isError && <ErrorAlert error={chats.error} retry={() => void chats.refetch()} />}
      {chats.isPending && <LoadingSkeleton lines={8} />}
      {chats.data !== undefined && (
        <section className="card" aria-label={t('chats')}>
          <div className="section-head">
            <h2>{t('chats')}</h2>
            <Button component="a" size="xs" variant="default" href={csvAddress(fields)} download="chats.csv">
              {t('csv')}
            </Button>
          </div>
          {chats.data.total_items === 0 ? (
            <EmptyState icon="chat" title={asked === NO_FILTER ? t('empty') : t('none')} />
          ) : (
            <ChatTable chats={chats.data.items} isNamed={isNamed} />
          )}
          <Pager
            page={page}
            total={chats.data.total_items}
            isBusy={chats.isPlaceholderData}
            onPage={(it) => setPlace({ fields, page: it })}
          />
        </section>
      )}
    </>
  )
}

interface FiltersProps {
  fields: HistoryFields
  isNamed: boolean
  onChange: (fields: HistoryFields) => void
}

function Filters({ fields, isNamed, onChange }: FiltersProps) {
  const t = textsOf('admin.history')
  const set = (change: Partial<HistoryFields>) => onChange({ ...fields, ...change })
  return (
    <search className="filters">
      {isNamed && <PersonField value={fields.person} onChange={(person) => set({ person })} isOptional />}
      <NativeSelect
        label={t('feedback')}
        value={fields.feedback}
        onChange={(event) => set({ feedback: event.currentTarget.value })}
        data={[
          { value: '', label: t('any_feedback') },
          ...FEEDBACKS.map((value) => ({ value, label: t(`feedbacks.${value}`) })),
        ]}
      />
      <TextInput
        label={t('from')}
        type="datetime-local"
        value={fields.from}
        onChange={(event) => set({ from: event.currentTarget.value })}
      />
      <TextInput
        label={t('until')}
        type="datetime-local"
        value={fields.until}
        onChange={(event) => set({ until: event.currentTarget.value })}
      />
    </search>
  )
}

function ChatTable({ chats, isNamed }: { chats: readonly ChatSessionMinimal[]; isNamed: boolean }) {
  const t = textsOf('admin.history')
  const person: Column<ChatSessionMinimal> = {
    label: t('person'),
    className: 'long-text',
    cell: (it) => <bdi>{it.user_email}</bdi>,
  }
  return (
    <RecordTable
      label={t('chats')}
      rows={chats}
      keyOf={(it) => it.id}
      columns={[
        { label: t('question'), className: 'long-text', cell: (it) => <Question chat={it} /> },
        ...(isNamed ? [person] : []),
        { label: t('agent'), className: 'long-text', cell: (it) => <bdi>{it.assistant_name ?? '–'}</bdi> },
        { label: t('messages'), className: 'number', cell: (it) => formatCount(it.conversation_length) },
        { label: t('feedback'), className: 'nowrap', cell: (it) => <Feedback is={it.feedback_type} /> },
        { label: t('asked'), className: 'nowrap', cell: (it) => <Time at={it.time_created} /> },
      ]}
    />
  )
}

const Question = ({ chat }: { chat: ChatSessionMinimal }) => (
  <>
    <AdminLink page="history" id={chat.id}>
      <bdi className="history-line">
        {chat.first_user_message.trim() === '' ? textsOf('admin.history')('no_question') : chat.first_user_message}
      </bdi>
    </AdminLink>
    <div className="small dimmed history-line" dir="auto">
      {chat.first_ai_message}
    </div>
  </>
)

interface PagerProps {
  page: number
  total: number
  isBusy: boolean
  onPage: (page: number) => void
}

function Pager({ page, total, isBusy, onPage }: PagerProps) {
  const parts = textsOf('parts')
  const to = Math.min(total, (page + 1) * PAGE_SIZE)
  if (total === 0) return null
  const range = (
    <span className="small dimmed" role="status">
      {textsOf('admin.history')('range', { from: page * PAGE_SIZE + 1, to, total })}
    </span>
  )
  if (total <= PAGE_SIZE) return <div className="section-end">{range}</div>
  return (
    <div className="section-end row">
      <Button size="xs" variant="default" disabled={page === 0 || isBusy} onClick={() => onPage(page - 1)}>
        {parts('previous_page')}
      </Button>
      {range}
      <Button size="xs" variant="default" disabled={to >= total || isBusy} onClick={() => onPage(page + 1)}>
        {parts('next_page')}
      </Button>
    </div>
  )
}
