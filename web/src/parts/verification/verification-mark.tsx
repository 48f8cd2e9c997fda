// The person who said that a document is still right, and whether that holds.
import type { DocumentVerification } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'
import { Icon } from '../icon.tsx'
import { exactDay } from '../text.tsx'
import './verification.css'

export function VerificationMark({ verification }: { verification: DocumentVerification }) {
  const { state } = verification
  return (
    <span className={`verification-mark verification-${state}`}>
      <Icon name={state === 'valid' ? 'check' : 'history'} size={14} />
      <bdi>{markText(verification)}</bdi>
    </span>
  )
}

function markText({ state, verified_by, verified_at, verified_until }: DocumentVerification): string {
  const t = textsOf('verification')
  if (state === 'changed') return t('changed', { date: exactDay(verified_at) })
  if (state === 'expired') return t('expired', { date: exactDay(verified_until) })
  const until = { date: exactDay(verified_until) }
  return verified_by === null ? t('valid', until) : t('valid_by', { ...until, person: verified_by })
}
