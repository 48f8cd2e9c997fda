import { Button, Checkbox, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { createInputPrompt, updateInputPrompt } from '../../../../src/client/operations.ts'
import type { InputPromptSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { useReloadPrompts } from '../chat/prompts-query.ts'

interface Props {
  /** Absent for a new one. */
  prompt?: InputPromptSnapshot
  onClose: () => void
}

export function SavedPromptForm({ prompt, onClose }: Props) {
  const t = textsOf('account.prompts')
  const parts = textsOf('parts')
  const reload = useReloadPrompts()
  const [name, setName] = useState(prompt?.prompt ?? '')
  const [content, setContent] = useState(prompt?.content ?? '')
  const [active, setActive] = useState(prompt?.active ?? true)
  const save = useMutation({
    mutationFn: () => {
      const body = { prompt: name.trim(), content, active }
      if (prompt === undefined) return createInputPrompt(api, { body })
      return updateInputPrompt(api, { input_prompt_id: prompt.id, body })
    },
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Dialog title={t(prompt === undefined ? 'new' : 'edit')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          label={parts('name')}
          description={t('name_help')}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={500}
          dir="auto"
          autoComplete="off"
          required
          withAsterisk={false}
        />
        <Textarea
          label={t('text')}
          description={t('text_help')}
          value={content}
          onChange={(event) => setContent(event.currentTarget.value)}
          maxLength={64_000}
          dir="auto"
          minRows={4}
          maxRows={14}
          autosize
          required
          withAsterisk={false}
        />
        <Checkbox label={t('offer')} checked={active} onChange={(event) => setActive(event.currentTarget.checked)} />
        {save.isError && <ErrorAlert error={save.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {parts('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending} disabled={name.trim() === '' || content.trim() === ''}>
            {parts('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
