// Shows a tool call before it runs, and lets the user allow or decline it.
import { Button } from '@mantine/core'
import { useId } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { escapeInvisible, hostOf, safeHref } from '../../parts/safe-link.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { jsonText, LabeledValue } from './steps.tsx'
import type { PendingCall } from './wire.ts'

const READ_METHODS = new Set(['GET', 'HEAD'])

interface Props {
  call: PendingCall
  isBusy: boolean
  error: unknown
  onDecide: (approve: boolean) => void
}

export function ToolConfirmation({
  call: { tool_name, method, url, tool_args, passes_token },
  isBusy,
  error,
  onDecide,
}: Props) {
  const t = textsOf('chat.confirmation')
  const id = useId()
  const target = safeHref(url)
  return (
    <section className="confirmation" aria-labelledby={id}>
      <h3 id={id}>
        <Icon name="alert" size={18} />
        {confirmationQuestion(
          tool_name,
          target,
          passes_token === true ? 'act' : READ_METHODS.has(method) ? 'open' : 'write',
        )}
      </h3>
      {passes_token === true && <p>{t('token')}</p>}
      <p className="confirmation-call">
        <code>{method}</code> <code>{escapeInvisible(url)}</code>
      </p>
      <LabeledValue name={t('data')} value={jsonText(tool_args)} />
      {error !== null && <ErrorAlert error={error} />}
      <div className="row">
        <Button loading={isBusy} onClick={() => onDecide(true)}>
          {t('allow')}
        </Button>
        <Button variant="default" disabled={isBusy} onClick={() => onDecide(false)}>
          {t('decline')}
        </Button>
      </div>
    </section>
  )
}

function confirmationQuestion(tool: string, target: string | undefined, action: 'act' | 'open' | 'write'): string {
  const t = textsOf('chat.confirmation')
  return target === undefined ? t('ask', { tool }) : t(action, { tool, host: hostOf(target) })
}
