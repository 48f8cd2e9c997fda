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
import { textsOf } from '../../text/texts.ts'
import { PasswordConfirmation } from './password-confirmation.tsx'
import { QrCode } from './qr-code.tsx'

export const secondFactorQuery = {
  queryKey: ['second-factor'],
  queryFn: ({ signal }: { signal: AbortSignal }) => getSecondFactor(api, { signal }),
}

export function SecondFactor() {
  const t = textsOf('account.second_factor')
  const state = useQuery(secondFactorQuery)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  return (
    <section className="card" aria-labelledby="second-factor">
      <div className="section-head">
        <h2 id="second-factor">{t('title')}</h2>
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
  return <p className="section-note dimmed">{textsOf('account.second_factor')('no_password')}</p>
}

function SetUp({ onCodes }: Pick<ChoicesProps, 'onCodes'>) {
  const t = textsOf('account.second_factor')
  const [isAsking, setAsking] = useState(false)
  const start = useMutation({ mutationFn: (password: string) => startSecondFactor(api, { body: { password } }) })
  if (start.data !== undefined) return <FirstCode factor={start.data} onCodes={onCodes} onCancel={start.reset} />
  return (
    <div className="stack account-body">
      <p className="dimmed">{t('help')}</p>
      {isAsking ? (
        <PasswordConfirmation
          action={textsOf('account.confirm')('continue')}
          error={start.error}
          isPending={start.isPending}
          onConfirm={start.mutate}
          onCancel={() => setAsking(false)}
        />
      ) : (
        <div>
          <Button onClick={() => setAsking(true)}>{t('set_up')}</Button>
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
  const t = textsOf('account.second_factor')
  const [code, setCode] = useState('')
  const queryClient = useQueryClient()
  const confirm = useMutation({
    mutationFn: () => confirmSecondFactor(api, { body: { code: code.trim() } }),
    onSuccess: async ({ recovery_codes }) => {
      onCodes(recovery_codes)
      await queryClient.invalidateQueries({ queryKey: secondFactorQuery.queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (code.trim() !== '') confirm.mutate()
  }
  return (
    <form className="stack account-body" onSubmit={submit}>
      <p>{t('scan')}</p>
      <QrCode text={factor.uri} label={t('qr_code')} />
      <CodeBlock text={factor.secret} label={t('secret')} isWord />
      <TextInput
        label={t('code')}
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
          {t('switch_on')}
        </Button>
        <Button variant="default" onClick={onCancel}>
          {textsOf('parts')('cancel')}
        </Button>
      </div>
    </form>
  )
}

function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const t = textsOf('account.second_factor')
  return (
    <div className="stack account-body">
      <p role="status">{t('is_on')}</p>
      <CodeBlock text={codes.join('\n')} label={t('recovery_codes')} />
      <div>
        <Button onClick={onDone}>{t('kept')}</Button>
      </div>
    </div>
  )
}

const FEW_CODES = 3

function SwitchedOn({ left, onCodes }: { left: number } & Pick<ChoicesProps, 'onCodes'>) {
  const t = textsOf('account.second_factor')
  const [wanted, setWanted] = useState<'renew' | 'disable' | null>(null)
  const queryClient = useQueryClient()
  const reload = () => queryClient.invalidateQueries({ queryKey: secondFactorQuery.queryKey })
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
      <p>{t('state', { left, few: left <= FEW_CODES ? 'yes' : 'no' })}</p>
      {wanted === null ? (
        <div className="row">
          <Button variant="default" onClick={() => setWanted('renew')}>
            {t('new_codes')}
          </Button>
          <Button variant="subtle" color="red" onClick={() => setWanted('disable')}>
            {t('switch_off')}
          </Button>
        </div>
      ) : (
        <PasswordConfirmation
          action={t(wanted === 'renew' ? 'make_codes' : 'switch_off')}
          error={change.error}
          isPending={change.isPending}
          onConfirm={change.mutate}
          onCancel={() => setWanted(null)}
        />
      )}
    </div>
  )
}
