// Texts that the person inserts into questions. The chat offers them after a slash.
import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteInputPrompt } from '../../../../src/client/operations.ts'
import type { InputPromptSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { EndButton, RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { promptsQuery, useReloadPrompts } from '../chat/prompts-query.ts'
import { SavedPromptForm } from './saved-prompt-form.tsx'

type Opened = { dialog: 'new' } | { dialog: 'edit' | 'delete'; prompt: InputPromptSnapshot }

export function SavedPrompts() {
  const t = textsOf('account.prompts')
  const [opened, setOpened] = useState<Opened | null>(null)
  const prompts = useQuery(promptsQuery)
  const close = () => setOpened(null)
  return (
    <section className="card" aria-labelledby="prompts">
      <div className="section-head">
        <h2 id="prompts">{t('title')}</h2>
        <Button size="xs" leftSection={<Icon name="plus" size={15} />} onClick={() => setOpened({ dialog: 'new' })}>
          {t('new')}
        </Button>
      </div>
      <p className="section-note dimmed">{t('help')}</p>
      {prompts.isError && <ErrorAlert error={prompts.error} retry={() => void prompts.refetch()} />}
      {prompts.isPending && <LoadingSkeleton lines={2} />}
      {(prompts.data?.length ?? 0) > 0 && (
        <PromptTable
          prompts={prompts.data ?? []}
          onEdit={(prompt) => setOpened({ dialog: 'edit', prompt })}
          onDelete={(prompt) => setOpened({ dialog: 'delete', prompt })}
        />
      )}
      {opened?.dialog === 'new' && <SavedPromptForm onClose={close} />}
      {opened?.dialog === 'edit' && <SavedPromptForm prompt={opened.prompt} onClose={close} />}
      {opened?.dialog === 'delete' && <DeletePrompt prompt={opened.prompt} onClose={close} />}
    </section>
  )
}

interface TableProps {
  prompts: readonly InputPromptSnapshot[]
  onEdit: (prompt: InputPromptSnapshot) => void
  onDelete: (prompt: InputPromptSnapshot) => void
}

function PromptTable({ prompts, onEdit, onDelete }: TableProps) {
  const t = textsOf('account.prompts')
  const parts = textsOf('parts')
  return (
    <RecordTable
      label={t('title')}
      rows={prompts}
      keyOf={({ id }) => id}
      columns={[
        { label: parts('name'), className: 'long-text', cell: ({ prompt }) => <bdi>{prompt}</bdi> },
        { label: t('text'), className: 'long-text', cell: ({ content }) => <Excerpt text={content} /> },
        { label: t('offered'), cell: ({ active }) => t(active ? 'is_offered' : 'is_not_offered') },
      ]}
      action={(it) => (
        <div className="row-actions">
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={t('edit_named', { name: it.prompt })}
            onClick={() => onEdit(it)}
          >
            {parts('edit')}
          </Button>
          <EndButton
            label={parts('delete')}
            longLabel={t('delete_named', { name: it.prompt })}
            onClick={() => onDelete(it)}
          />
        </div>
      )}
    />
  )
}

const Excerpt = ({ text }: { text: string }) => (
  <div className="prompt-excerpt dimmed" dir="auto">
    {text}
  </div>
)

function DeletePrompt({ prompt, onClose }: { prompt: InputPromptSnapshot; onClose: () => void }) {
  const t = textsOf('account.prompts')
  const reload = useReloadPrompts()
  const remove = useMutation({
    mutationFn: () => deleteInputPrompt(api, { input_prompt_id: prompt.id }),
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t('delete_title')}
      action={t('delete')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t.rich('delete_help', { name: () => <bdi>{prompt.prompt}</bdi> })}
    </ConfirmDialog>
  )
}
