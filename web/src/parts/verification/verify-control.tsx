// Says that a document is still right, until a day, and takes that back.
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { verifyDocument } from '../../../../src/client/operations.ts'
import type { DocumentVerification } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'
import { Icon } from '../icon.tsx'
import { ErrorAlert } from '../states.tsx'

interface Props {
  id: string
  title: string
  verification: DocumentVerification | null
}

export function VerifyControl({ id, title, verification }: Props) {
  const t = textsOf('verification')
  const [isOpen, setIsOpen] = useState(false)
  const verify = useVerify(id, () => setIsOpen(false))
  const close = () => {
    verify.reset()
    setIsOpen(false)
  }
  return (
    <>
      {verify.error !== null && <ErrorAlert error={verify.error} />}
      {isOpen ? (
        <VerifyForm isPending={verify.isPending} onVerify={(until) => verify.mutate(until)} onClose={close} />
      ) : (
        <div className="row">
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<Icon name="check" size={14} />}
            aria-label={t('verify_of', { title })}
            onClick={() => setIsOpen(true)}
          >
            {t('verify')}
          </Button>
          {verification !== null && (
            <Button
              size="compact-sm"
              variant="subtle"
              loading={verify.isPending}
              aria-label={t('withdraw_of', { title })}
              onClick={() => verify.mutate(null)}
            >
              {t('withdraw')}
            </Button>
          )}
        </div>
      )}
    </>
  )
}

function useVerify(document_id: string, onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (verified_until: string | null) => verifyDocument(api, { body: { document_id, verified_until } }),
    onSuccess: async () => {
      onDone()
      const shown = [
        ['own-documents'],
        ['stale-documents'],
        ['reader', document_id],
        ['receipts', 'details', document_id],
      ]
      await Promise.all([...shown, ['search']].map((queryKey) => queries.invalidateQueries({ queryKey })))
    },
  })
}

const DEFAULT_MONTHS = 6
const MAX_MONTHS = 24

interface FormProps {
  isPending: boolean
  /** The end of the day, as the wire has it. */
  onVerify: (until: string) => void
  onClose: () => void
}

function VerifyForm({ isPending, onVerify, onClose }: FormProps) {
  const t = textsOf('verification')
  const [day, setDay] = useState(dayAfter(DEFAULT_MONTHS, 0))
  const [first, last] = [dayAfter(0, 1), dayAfter(MAX_MONTHS, -1)]
  const isDay = day >= first && day <= last
  return (
    <form
      className="verification-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (isDay) onVerify(`${day}T23:59:59Z`)
      }}
    >
      <TextInput
        type="date"
        size="xs"
        label={t('until')}
        value={day}
        min={first}
        max={last}
        required
        data-autofocus
        onChange={({ currentTarget }) => setDay(currentTarget.value)}
      />
      <Button type="submit" size="xs" loading={isPending} disabled={!isDay}>
        {t('confirm')}
      </Button>
      <Button size="xs" variant="default" onClick={onClose}>
        {textsOf('parts')('cancel')}
      </Button>
    </form>
  )
}

/** A day such as 2026-05-31, in UTC. */
function dayAfter(months: number, days: number): string {
  const date = new Date()
  date.setUTCMonth(date.getUTCMonth() + months, date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}
