// The OpenAPI definition of a tool, pasted or from a file, and the functions that a model gets from it.
import { Button, Textarea } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { validateToolDefinition } from '../../../../src/client/operations.ts'
import type { ToolMethod } from '../../../../src/client/schemas.ts'
import { api, errorMessage } from '../../api.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { textsOf } from '../../text/texts.ts'
import { parseDefinition } from './tool-definition.ts'

/** The check waits until the person pauses. */
const CHECK_MS = 400

interface Props {
  text: string
  onChange: (text: string) => void
}

export function DefinitionField({ text, onChange }: Props) {
  const t = textsOf('admin.tools.form')
  const input = useRef<HTMLInputElement>(null)
  const read = async (file: File | undefined) => {
    if (file !== undefined) onChange(await file.text())
  }
  return (
    <div className="stack">
      <Textarea
        className="tool-definition"
        label={t('definition')}
        description={t('definition_help')}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        rows={14}
        spellCheck={false}
        autoComplete="off"
        required
        withAsterisk={false}
      />
      <div>
        <Button variant="default" size="xs" onClick={() => input.current?.click()}>
          {t('choose_file')}
        </Button>
        <input
          ref={input}
          type="file"
          accept=".json,application/json"
          hidden
          aria-label={t('choose_file')}
          onChange={(event) => {
            void read(event.currentTarget.files?.[0])
            event.currentTarget.value = ''
          }}
        />
      </div>
      <DefinitionVerdict text={text} />
    </div>
  )
}

function DefinitionVerdict({ text }: { text: string }) {
  const t = textsOf('admin.tools.form')
  const [checkedText] = useDebouncedValue(text, CHECK_MS)
  const definition = parseDefinition(checkedText)
  const check = useQuery({
    queryKey: ['tool-definition', checkedText],
    queryFn:
      definition === null ? skipToken : ({ signal }) => validateToolDefinition(api, { body: { definition }, signal }),
    retry: false,
    gcTime: 0,
    placeholderData: keepPreviousData,
  })
  if (checkedText.trim() === '') return null
  return (
    <div role="status">
      {definition === null && <p className="schema-error small">{t('no_json')}</p>}
      {definition !== null && check.isPending && <p className="small dimmed">{t('checking')}</p>}
      {definition !== null && check.isError && (
        <p className="schema-error small" dir="auto">
          {errorMessage(check.error)}
        </p>
      )}
      {definition !== null && check.data !== undefined && !check.isError && <Methods methods={check.data.methods} />}
    </div>
  )
}

/** A definition may have thousands of operations. */
const MAX_SHOWN = 100

function Methods({ methods }: { methods: readonly ToolMethod[] }) {
  const t = textsOf('admin.tools')
  return (
    <>
      <p className="small">{t('form.methods', { count: methods.length })}</p>
      <RecordTable
        label={t('operations')}
        rows={methods.slice(0, MAX_SHOWN)}
        keyOf={({ name }) => name}
        columns={[
          { label: t('operation'), className: 'long-text', cell: (it) => <code>{it.name}</code> },
          {
            label: t('request'),
            className: 'long-text',
            cell: (it) => (
              <code>
                {it.method.toUpperCase()} {it.path}
              </code>
            ),
          },
          { label: t('summary'), className: 'long-text', cell: (it) => <bdi>{it.summary}</bdi> },
        ]}
      />
      {methods.length > MAX_SHOWN && (
        <p className="small dimmed">{t('form.more_methods', { count: methods.length - MAX_SHOWN })}</p>
      )}
    </>
  )
}
