// The second factor of the person: set up an authenticator app, keep recovery codes, switch it off.
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import {
  confirmSecondFactor,
  disableSecondFactor,
  getSecondFactor,
  renewRecoveryCodes,
  startSecondFactor,
} from '../../../../src/client/operations.ts'
import type { NewSecondFactor, SecondFactorState } from '../../../../src/client/schemas.ts'
import { api, errorMessage } from '../../api.ts'
import { CodeBlock } from '../../parts/copy.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { PasswordConfirmation } from './password-confirmation.tsx'
import { QrCode } from './qr-code.tsx'

const stateQuery = {
  queryKey: ['second-factor'],
  queryFn: ({ signal }: { signal: AbortSignal }) => getSecondFactor(api, { signal }),
}

export function SecondFactor() {
  const state = useQuery(stateQuery)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  return (
    <section className="card" aria-labelledby="second-factor">
      <div className="section-head">
        <h2 id="second-factor">Second factor</h2>
      </div>
      {state.isPending && <LoadingSkeleton lines={2} />}
      {state.isError && <ErrorAlert error={state.error} />}
      {codes !== null && <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />}
      {codes === null && state.data !== undefined && <Choices state={state.data} onCodes={setCodes} />}
    </section>
  )
}

interface ChoicesProps {
  state: SecondFactorState
  onCodes: (codes: readonly string[]) => void
}

function Choices({ state, onCodes }: ChoicesProps) {
  if (state.is_on) return <SwitchedOn left={state.recovery_codes_left} onCodes={onCodes} />
  if (state.has_password) return <SetUp onCodes={onCodes} />
  return (
    <p className="section-note dimmed">You have no password, so there is no sign-in that a second factor protects.</p>
  )
}

function SetUp({ onCodes }: Pick<ChoicesProps, 'onCodes'>) {
  const [isAsking, setAsking] = useState(false)
  const start = useMutation({ mutationFn: (password: string) => startSecondFactor(api, { body: { password } }) })
  if (start.data !== undefined) return <FirstCode factor={start.data} onCodes={onCodes} onCancel={start.reset} />
  return (
    <div className="stack account-body">
      <p className="dimmed">
        After your password, Pharos asks for a code of an authenticator app on your telephone: a stolen password alone
        is then of no use.
      </p>
      {isAsking ? (
        <PasswordConfirmation
          action="Continue"
          error={start.error}
          isPending={start.isPending}
          onConfirm={start.mutate}
          onCancel={() => setAsking(false)}
        />
      ) : (
        <div>
          <Button onClick={() => setAsking(true)}>Set up</Button>
        </div>
      )}
    </div>
  )
}

function FirstCode({
  factor,
  onCodes,
  onCancel,
}: { factor: NewSecondFactor; onCancel: () => void } & Pick<ChoicesProps, 'onCodes'>) {
  const [code, setCode] = useState('')
  const queryClient = useQueryClient()
  const confirm = useMutation({
    mutationFn: () => confirmSecondFactor(api, { body: { code: code.trim() } }),
    onSuccess: async ({ recovery_codes }) => {
      onCodes(recovery_codes)
      await queryClient.invalidateQueries({ queryKey: stateQuery.queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (code.trim() !== '') confirm.mutate()
  }
  return (
    <form className="stack account-body" onSubmit={submit}>
      <p>Scan this code with the app, or type the secret into it. Then enter the six digits that the app shows.</p>
      <QrCode text={factor.uri} label="QR code for the authenticator app" />
      <CodeBlock text={factor.secret} label="Secret for the authenticator app" isWord />
      <TextInput
        label="Code of the app"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={20}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        error={confirm.isError ? errorMessage(confirm.error) : undefined}
        autoFocus
      />
      <div className="row">
        <Button type="submit" loading={confirm.isPending} disabled={code.trim().length < 6}>
          Switch on
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

const RecoveryCodes = ({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) => (
  <div className="stack account-body">
    <p role="status">
      The second factor is on. Keep these codes in a safe place, such as a password manager: each replaces the app once,
      and they are shown only now.
    </p>
    <CodeBlock text={codes.join('\n')} label="Recovery codes" />
    <div>
      <Button onClick={onDone}>I have kept them</Button>
    </div>
  </div>
)

const FEW_CODES = 3

function SwitchedOn({ left, onCodes }: { left: number } & Pick<ChoicesProps, 'onCodes'>) {
  const [wanted, setWanted] = useState<'renew' | 'disable' | null>(null)
  const queryClient = useQueryClient()
  const reload = () => queryClient.invalidateQueries({ queryKey: stateQuery.queryKey })
  const renew = useMutation({
    mutationFn: (password: string) => renewRecoveryCodes(api, { body: { password } }),
    onSuccess: async ({ recovery_codes }) => {
      onCodes(recovery_codes)
      await reload()
    },
  })
  const disable = useMutation({
    mutationFn: (password: string) => disableSecondFactor(api, { body: { password } }),
    onSuccess: reload,
  })
  const change = wanted === 'renew' ? renew : disable
  return (
    <div className="stack account-body">
      <p>
        On: after your password, Pharos asks for a code of your app. {left} recovery{' '}
        {left === 1 ? 'code is' : 'codes are'} left{left <= FEW_CODES && ': make new ones soon'}.
      </p>
      {wanted === null ? (
        <div className="row">
          <Button variant="default" onClick={() => setWanted('renew')}>
            New recovery codes
          </Button>
          <Button variant="subtle" color="red" onClick={() => setWanted('disable')}>
            Switch off
          </Button>
        </div>
      ) : (
        <PasswordConfirmation
          action={wanted === 'renew' ? 'Make new codes' : 'Switch off'}
          error={change.error}
          isPending={change.isPending}
          onConfirm={change.mutate}
          onCancel={() => setWanted(null)}
        />
      )}
    </div>
  )
}
