// The steps of an answer: one line each, with expandable details.
import { Loader } from '@mantine/core'
import type { ReactNode } from 'react'
import type { SearchDoc } from '../../../../src/client/schemas.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { documentHref, escapeInvisible, hostOf, safeHref } from '../../parts/safe-link.ts'
import { exactDay, listText, sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import type { Step } from './answer.ts'
import { ConnectAccount } from './connect-account.tsx'

export const Steps = ({ steps }: { steps: readonly Step[] }) =>
  steps.length === 0 ? null : (
    <ul className="steps" aria-label={textsOf('chat.steps')('label')}>
      {steps.map((it, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps are only appended.
        <li key={at}>
          <details className="step">
            <summary>
              {it.isDone ? <Icon name={ICONS[it.kind]} size={16} /> : <Loader size={14} aria-hidden="true" />}
              <span>{stepSummary(it)}</span>
            </summary>
            <div className="step-body">
              <StepDetails step={it} />
            </div>
          </details>
          {it.kind === 'tool' && it.answer?.error?.oauth_config_id !== undefined && (
            <ConnectAccount oauth_config_id={it.answer.error.oauth_config_id} />
          )}
        </li>
      ))}
    </ul>
  )

const ICONS: Record<Step['kind'], IconName> = {
  search: 'search',
  open_url: 'open',
  read_file: 'document',
  tool: 'tool',
  reasoning: 'thought',
}

/** A one-line summary, also announced by screen readers. */
export function stepSummary(step: Step): string {
  const t = textsOf('chat.steps')
  switch (step.kind) {
    case 'search':
      return searchSummary(step)
    case 'open_url': {
      const hosts = step.urls.map((it) => safeHref(it)).map((it) => (it === undefined ? t('an_address') : hostOf(it)))
      return t(step.isDone ? 'opened' : 'opening', { count: hosts.length, hosts: listText(hosts) })
    }
    case 'read_file': {
      const name = step.file?.file_name
      return t(step.isDone ? 'read' : 'reading', { file: name === undefined ? 'unknown' : 'known', name: name ?? '' })
    }
    case 'tool':
      return toolSummary(step)
    case 'reasoning':
      return t(step.isDone ? 'thought' : 'thinking')
  }
}

function searchSummary({ isInternet, isDone, queries, documents }: SearchStep): string {
  const t = textsOf('chat.steps')
  const values = { count: queries.length, queries: listText(queries.map((query) => t('query', { query }))) }
  if (!isDone) return t(isInternet ? 'searching_internet' : 'searching', values)
  return t(isInternet ? 'searched_internet' : 'searched', { ...values, found: documents.length })
}

function toolSummary({ tool_name: tool, isDone, answer, confirmation }: Extract<Step, { kind: 'tool' }>): string {
  const t = textsOf('chat.steps')
  if (answer?.error) return t('tool_failed', { tool, error: answer.error.message })
  if (confirmation !== null) return t(isDone ? 'tool_declined' : 'tool_waiting', { tool })
  return t(isDone ? 'tool_used' : 'tool_running', { tool })
}

function StepDetails({ step }: { step: Step }): ReactNode {
  const t = textsOf('chat.steps')
  switch (step.kind) {
    case 'search':
      return (
        <>
          {step.filters !== null && <p className="dimmed">{filterText(step.filters)}</p>}
          <StepDocuments documents={step.documents} />
        </>
      )
    case 'open_url':
      return (
        <>
          <LabeledValue name={t('addresses')} value={step.urls.join('\n')} />
          <StepDocuments documents={step.documents} />
        </>
      )
    case 'read_file':
      if (step.file === null) return null
      return (
        <>
          <p className="dimmed">
            {t('characters', { from: step.file.start_char, to: step.file.end_char, total: step.file.total_chars })}
          </p>
          <LabeledValue name={t('begins')} value={step.file.preview_start} />
          <LabeledValue name={t('ends')} value={step.file.preview_end} />
        </>
      )
    case 'tool':
      return (
        <>
          {step.tool_args !== null && <LabeledValue name={t('arguments')} value={jsonText(step.tool_args)} />}
          {step.answer !== null && (
            <LabeledValue
              name={t(step.answer.error ? 'error' : 'result')}
              value={step.answer.error?.message ?? jsonText(step.answer.data)}
            />
          )}
        </>
      )
    case 'reasoning':
      return (
        <p className="step-text" dir="auto">
          {step.text}
        </p>
      )
  }
}

function filterText({ sources, time_filter_start, time_filter_end }: NonNullable<SearchStep['filters']>): string {
  const t = textsOf('chat.steps')
  const parts = [
    sources.length > 0 && t('only_in', { sources: listText(sources.map(sourceLabel)) }),
    time_filter_start !== null && t('since', { from: exactDay(time_filter_start) }),
    time_filter_end !== null && t('until', { until: exactDay(time_filter_end) }),
  ].filter((it) => it !== false)
  return parts.length === 0 ? t('no_filters') : parts.join(' ')
}

type SearchStep = Extract<Step, { kind: 'search' }>

const StepDocuments = ({ documents }: { documents: readonly SearchDoc[] }) => (
  <ul className="step-documents">
    {documents.map((it) => {
      const href = documentHref(it)
      return (
        <li key={it.document_id}>
          {href === undefined ? (
            <bdi>{it.semantic_identifier}</bdi>
          ) : (
            <a href={href} target="_blank" rel="noopener noreferrer">
              <bdi>{it.semantic_identifier}</bdi>
            </a>
          )}{' '}
          <span className="dimmed">{sourceLabel(it.source_type)}</span>
        </li>
      )
    })}
  </ul>
)

export const jsonText = (value: unknown): string =>
  escapeInvisible(typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 2))

export const LabeledValue = ({ name, value }: { name: string; value: string }) => (
  <figure className="value">
    <figcaption>{name}</figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard. */}
    <pre tabIndex={0}>{value}</pre>
  </figure>
)
