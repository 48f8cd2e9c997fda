// Shows an attempt of the bench: the request, the answer, or why there is none.
import { Alert, Badge, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { ApiError } from '../../../../src/client/api.ts'
import { givePassthroughConsent } from '../../../../src/client/operations.ts'
import type { ToolSnapshot, ToolTryResponse } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { ConnectAccount } from '../chat/connect-account.tsx'

export function BenchResult({ result: { request, answer, error } }: { result: ToolTryResponse }) {
  const t = textsOf('admin.tools.bench')
  return (
    <div className="stack">
      <Request request={request} />
      {answer !== null && <Answer answer={answer} />}
      {error !== null && (
        <Alert color="red" variant="light" icon={<Icon name="alert" />} title={t('failed')}>
          <bdi>{error}</bdi>
        </Alert>
      )}
      {answer === null && error === null && <p className="dimmed">{t('not_sent')}</p>}
    </div>
  )
}

function Request({ request: { method, url, headers, body } }: { request: ToolTryResponse['request'] }) {
  const t = textsOf('admin.tools.bench')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const text = [`${method} ${url}`, ...lines, ...(body === null ? [] : ['', body])].join('\n')
  return (
    <div>
      <h3>{t('request')}</h3>
      <ScrolledText label={t('request')} text={text} />
    </div>
  )
}

const FIRST_FAILURE = 400

function Answer({ answer }: { answer: NonNullable<ToolTryResponse['answer']> }) {
  const t = textsOf('admin.tools.bench')
  const { status_code, media_type, text, is_truncated, took_ms } = answer
  return (
    <div>
      <h3>{t('answer')}</h3>
      <p className="row small">
        <Badge color={status_code < FIRST_FAILURE ? 'green' : 'red'} variant="light" tt="none">
          {t('status', { status: String(status_code) })}
        </Badge>
        {t('took', { ms: took_ms })}
        {media_type !== '' && <bdi className="dimmed">{media_type}</bdi>}
      </p>
      {text === '' ? <p className="dimmed">{t('no_body')}</p> : <ScrolledText label={t('answer')} text={text} />}
      {is_truncated && <p className="small dimmed">{t('truncated')}</p>}
    </div>
  )
}

const ScrolledText = ({ label, text }: { label: string; text: string }) => (
  <figure className="tool-figure" aria-label={label}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
    <pre className="tool-text" tabIndex={0} dir="auto">
      {text}
    </pre>
  </figure>
)

/** Offers what the attempt lacks: the account of the person, or their consent. */
export function BenchError({ tool, error, retry }: { tool: ToolSnapshot; error: unknown; retry: () => void }) {
  const t = textsOf('admin.tools.bench')
  const code = error instanceof ApiError ? error.error_code : null
  const consent = useMutation({
    mutationFn: () => givePassthroughConsent(api, { body: { tool_id: tool.id } }),
    onSuccess: retry,
  })
  return (
    <div className="stack">
      <ErrorAlert error={consent.error ?? error} />
      {code === 'PASSTHROUGH_NEEDS_CONSENT' && (
        <div>
          <p className="small">{t('consent_help')}</p>
          <Button variant="default" size="xs" loading={consent.isPending} onClick={() => consent.mutate()}>
            {t('consent')}
          </Button>
        </div>
      )}
      {code === 'TOOL_NEEDS_CONSENT' && tool.oauth_config_id != null && (
        <div>
          <ConnectAccount oauth_config_id={tool.oauth_config_id} />
        </div>
      )}
    </div>
  )
}
