// Before a tool writes, the person sees where, how and what, and decides.
import { Button } from '@mantine/core'
import { useId } from 'react'
import { Icon } from '../parts/icon.tsx'
import { hostOf, safeHref, withUnseenNamed } from '../parts/link.ts'
import { Failure } from '../parts/states.tsx'
import { jsonText, Value } from './steps.tsx'
import type { PendingCall } from './wire.ts'

const READING = new Set(['GET', 'HEAD'])

interface Props {
  call: PendingCall
  isBusy: boolean
  error: unknown
  onDecide: (approve: boolean) => void
}

export function Confirmation({ call: { tool_name, method, url, tool_args }, isBusy, error, onDecide }: Props) {
  const id = useId()
  const target = safeHref(url)
  return (
    <section className="confirmation" aria-labelledby={id}>
      <h3 id={id}>
        <Icon name="alert" size={18} />
        {target === undefined
          ? `Allow ${tool_name}?`
          : `Allow ${tool_name} to ${READING.has(method) ? 'open' : 'write to'} ${hostOf(target)}?`}
      </h3>
      <p className="confirmation-call">
        <code>{method}</code> <code>{withUnseenNamed(url)}</code>
      </p>
      <Value name="What it sends" value={jsonText(tool_args)} />
      {error !== null && <Failure error={error} />}
      <div className="row">
        <Button loading={isBusy} onClick={() => onDecide(true)}>
          Allow
        </Button>
        <Button variant="default" disabled={isBusy} onClick={() => onDecide(false)}>
          Decline
        </Button>
      </div>
    </section>
  )
}
