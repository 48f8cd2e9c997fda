// Questions that the start of a chat offers: a list whose entries are added, changed, moved and removed.
import { ActionIcon, Button, Textarea, TextInput } from '@mantine/core'
import { useRef } from 'react'
import type { StarterMessage } from '../../../../src/client/schemas.ts'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import { type FieldsProps, MAX_NAME } from './agent-values.ts'

const MAX_MESSAGES = 100

export function StarterMessages({ values: { starter_messages: all }, set }: FieldsProps) {
  const t = textsOf('agents.editor')
  const list = useRef<HTMLOListElement>(null)
  const put = (messages: readonly StarterMessage[]) => set({ starter_messages: messages })
  const add = () => {
    put([...all, { name: '', message: '' }])
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('li:last-child input')?.focus())
  }
  return (
    <section className="card card-pad stack" aria-labelledby="agent-starters">
      <h2 id="agent-starters">{t('fields.starter_messages')}</h2>
      <p className="dimmed">{t('starters_help')}</p>
      {all.length > 0 && (
        <ol className="agent-starters" ref={list}>
          {all.map((it, at) => (
            <StarterRow
              // biome-ignore lint/suspicious/noArrayIndexKey: a message has no other identity.
              key={at}
              number={at + 1}
              message={it}
              onChange={(message) => put(all.with(at, message))}
              onUp={at === 0 ? null : () => put(swapped(all, at - 1))}
              onRemove={() => put(all.toSpliced(at, 1))}
            />
          ))}
        </ol>
      )}
      <div>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="plus" size={15} />}
          disabled={all.length >= MAX_MESSAGES}
          onClick={add}
        >
          {t('add_starter')}
        </Button>
      </div>
    </section>
  )
}

/** Exchanges this message and the next one. */
function swapped(all: readonly StarterMessage[], at: number): StarterMessage[] {
  const [first, second] = all.slice(at, at + 2)
  return first === undefined || second === undefined ? [...all] : all.toSpliced(at, 2, second, first)
}

interface RowProps {
  number: number
  message: StarterMessage
  onChange: (message: StarterMessage) => void
  /** Null for the first one. */
  onUp: (() => void) | null
  onRemove: () => void
}

function StarterRow({ number, message, onChange, onUp, onRemove }: RowProps) {
  const t = textsOf('agents.editor')
  return (
    <li className="agent-starter">
      <div className="agent-starter-fields">
        <TextInput
          label={t('starter_name', { number })}
          description={t('starter_name_help')}
          value={message.name}
          onChange={(event) => onChange({ ...message, name: event.currentTarget.value })}
          maxLength={MAX_NAME}
          dir="auto"
        />
        <Textarea
          label={t('starter_message', { number })}
          value={message.message}
          onChange={(event) => onChange({ ...message, message: event.currentTarget.value })}
          maxLength={64_000}
          dir="auto"
          minRows={1}
          maxRows={8}
          autosize
        />
      </div>
      <div className="row">
        <Button
          variant="subtle"
          size="compact-sm"
          aria-label={t('move_up', { number })}
          disabled={onUp === null}
          onClick={onUp ?? undefined}
        >
          {t('move_up_short')}
        </Button>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('remove_starter', { number })}
          title={t('remove_starter', { number })}
          onClick={onRemove}
        >
          <Icon name="trash" size={16} />
        </ActionIcon>
      </div>
    </li>
  )
}
