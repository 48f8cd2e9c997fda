// The input for questions and their attachments.
import { ActionIcon, Loader } from '@mantine/core'
import { type ChangeEvent, type ClipboardEvent, type KeyboardEvent, type RefObject, useRef } from 'react'
import { errorMessage } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import { AttachmentRoom } from './attachment-room.tsx'
import { PictureNote } from './picture-note.tsx'
import { SourceChips } from './source-chips.tsx'
import type { Attachments } from './use-attachments.ts'
import { useCompletion } from './use-completion.tsx'
import type { QuestionLimits } from './use-question-limits.ts'
import { useSendWhenReady } from './use-send-when-ready.ts'

interface Props {
  input: RefObject<HTMLTextAreaElement | null>
  text: string
  onText: (text: string) => void
  attachments: Attachments
  limits: QuestionLimits
  isRunning: boolean
  isSending: boolean
  onSend: () => void
  onStop: () => void
}

export function Composer({ input, text, onText, attachments, limits, isRunning, isSending, onSend, onStop }: Props) {
  const t = textsOf('chat.composer')
  const isFree = !isRunning && !isSending
  const { maySend, isWaiting, send } = useSendWhenReady({ text, attachments, isFree, onSend })
  const completion = useCompletion({ input, text, onText, limits })
  const onKeyDown = (event: KeyboardEvent) => {
    if (completion.onKeyDown(event)) return
    if (event.nativeEvent.isComposing || event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    send()
  }
  const onPaste = (event: ClipboardEvent) => {
    const { files, types } = event.clipboardData
    // Cells and paragraphs of an office program come with a picture of themselves.
    const isText = types.includes('text/plain') && types.includes('text/html')
    if (files.length === 0 || isText) return
    event.preventDefault()
    attachments.add([...files])
  }
  return (
    <form
      className="composer card"
      aria-label={t('label')}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <AttachmentList attachments={attachments} />
      <SourceChips sources={limits.sources} onRemove={limits.removeSource} />
      {completion.list}
      <textarea
        {...completion.aria}
        ref={input}
        aria-label={t('field')}
        placeholder={t('field')}
        value={text}
        rows={1}
        onChange={(event) => onText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        onSelect={completion.onSelect}
        // biome-ignore lint/a11y/noAutofocus: writing a question is the purpose of the page.
        autoFocus
      />
      <div className="composer-tools">
        <AttachButton onFiles={attachments.add} />
        <span className="composer-hint dimmed">{t('hint')}</span>
        {isRunning ? (
          <ActionIcon
            size="lg"
            color="red"
            variant="light"
            aria-label={t('stop')}
            title={t('stop_key')}
            onClick={onStop}
          >
            <Icon name="stop" />
          </ActionIcon>
        ) : (
          <ActionIcon
            type="submit"
            size="lg"
            aria-label={t('send')}
            title={t('send')}
            disabled={!maySend}
            loading={isSending || isWaiting}
          >
            <Icon name="send" />
          </ActionIcon>
        )}
      </div>
    </form>
  )
}

function AttachButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  const t = textsOf('chat.composer')
  const field = useRef<HTMLInputElement>(null)
  const onChange = (event: ChangeEvent<HTMLInputElement>) => {
    onFiles([...(event.currentTarget.files ?? [])])
    // Without this, choosing the same file again fires no event.
    event.currentTarget.value = ''
  }
  return (
    <>
      <input ref={field} type="file" multiple hidden aria-label={t('files')} onChange={onChange} />
      <ActionIcon
        size="lg"
        variant="subtle"
        color="gray"
        aria-label={t('attach')}
        title={t('attach')}
        onClick={() => field.current?.click()}
      >
        <Icon name="clip" />
      </ActionIcon>
    </>
  )
}

function AttachmentList({ attachments: { all, remove } }: { attachments: Attachments }) {
  const t = textsOf('chat.composer')
  if (all.length === 0) return null
  return (
    <ul className="composer-files" aria-label={t('files')}>
      {all.map((it) => (
        <li key={it.key} className={it.state === 'failed' ? 'file file-failed' : 'file'}>
          {it.state === 'sending' ? <Loader size={13} aria-label={t('uploading')} /> : <Icon name="clip" size={14} />}
          <bdi>{it.name}</bdi>
          {it.state === 'kept' && it.file.type === 'image' && <PictureNote />}
          {it.state === 'failed' && (
            <span role="alert">{typeof it.error === 'string' ? it.error : errorMessage(it.error)}</span>
          )}
          <ActionIcon
            size="xs"
            variant="subtle"
            color="gray"
            aria-label={t('remove', { name: it.name })}
            onClick={() => remove(it.key)}
          >
            <Icon name="close" size={13} />
          </ActionIcon>
        </li>
      ))}
      <AttachmentRoom />
    </ul>
  )
}
