// The steps of an answer: one line each, with expandable details.
import { Loader } from '@mantine/core'
import type { ReactNode } from 'react'
import type { SearchDoc } from '../../../../src/client/schemas.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { escapeInvisible, hostOf, safeHref } from '../../parts/safe-link.ts'
import { formatCount, sourceLabel } from '../../parts/text.tsx'
import type { Step } from './answer.ts'
import { ConnectAccount } from './connect-account.tsx'

export const Steps = ({ steps }: { steps: readonly Step[] }) =>
  steps.length === 0 ? null : (
    <ul className="steps" aria-label="Steps">
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
  switch (step.kind) {
    case 'search': {
      const where = step.isInternet ? ' on the internet' : ''
      const what = step.queries.map((it) => `“${it}”`).join(', ') || 'documents'
      return step.isDone
        ? `Searched${where} for ${what}: ${count(step.documents.length, 'document')}`
        : `Searching${where} for ${what}`
    }
    case 'open_url': {
      const hosts = step.urls.map((it) => safeHref(it)).map((it) => (it === undefined ? 'an address' : hostOf(it)))
      return `${step.isDone ? 'Opened' : 'Opening'} ${hosts.join(', ') || 'a page'}`
    }
    case 'read_file':
      return `${step.isDone ? 'Read' : 'Reading'} ${step.file?.file_name ?? 'a file'}`
    case 'tool':
      return toolSummary(step)
    case 'reasoning':
      return step.isDone ? 'Thought about it' : 'Thinking'
  }
}

function toolSummary({ tool_name, isDone, answer, confirmation }: Extract<Step, { kind: 'tool' }>): string {
  if (answer?.error) return `${tool_name} failed: ${answer.error.message}`
  if (confirmation !== null && !isDone) return `${tool_name} is waiting for your approval`
  if (confirmation !== null) return `${tool_name} was declined`
  return isDone ? `Used ${tool_name}` : `Using ${tool_name}`
}

const count = (it: number, noun: string) => `${formatCount(it)} ${it === 1 ? noun : `${noun}s`}`

function StepDetails({ step }: { step: Step }): ReactNode {
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
          <LabeledValue name="Addresses" value={step.urls.join('\n')} />
          <StepDocuments documents={step.documents} />
        </>
      )
    case 'read_file':
      if (step.file === null) return null
      return (
        <>
          <p className="dimmed">
            Characters {formatCount(step.file.start_char)} to {formatCount(step.file.end_char)} of{' '}
            {formatCount(step.file.total_chars)}
          </p>
          <LabeledValue name="Begins" value={step.file.preview_start} />
          <LabeledValue name="Ends" value={step.file.preview_end} />
        </>
      )
    case 'tool':
      return (
        <>
          {step.tool_args !== null && <LabeledValue name="Arguments" value={jsonText(step.tool_args)} />}
          {step.answer !== null && (
            <LabeledValue
              name={step.answer.error ? 'Error' : 'Result'}
              value={step.answer.error?.message ?? jsonText(step.answer.data)}
            />
          )}
        </>
      )
    case 'reasoning':
      return <p className="step-text">{step.text}</p>
  }
}

function filterText({ sources, time_filter_start, time_filter_end }: NonNullable<SearchStep['filters']>): string {
  const parts = [
    sources.length > 0 && `Only in ${sources.map(sourceLabel).join(', ')}`,
    time_filter_start !== null && `updated since ${time_filter_start.slice(0, 10)}`,
    time_filter_end !== null && `updated until ${time_filter_end.slice(0, 10)}`,
  ].filter((it) => it !== false)
  return parts.length === 0 ? 'No filters' : parts.join(', ')
}
type SearchStep = Extract<Step, { kind: 'search' }>

const StepDocuments = ({ documents }: { documents: readonly SearchDoc[] }) => (
  <ul className="step-documents">
    {documents.map((it) => {
      const href = safeHref(it.link)
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
