// Asks whether the service may call an address, without calling it.
import { Alert, Button, NativeSelect, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { checkEgress } from '../../../../src/client/operations.ts'
import type { EgressCheck } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { listText } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import type { HostToApprove } from './approve-host.tsx'

const MAX_URL = 8_000
const PROFILES = ['admin-target', 'public-only'] as const
type Profile = (typeof PROFILES)[number]

interface Asked {
  url: string
  profile: Profile
}

export function CheckAddress({ onApprove }: { onApprove: (host: HostToApprove) => void }) {
  const t = textsOf('admin.egress.check')
  const [url, setUrl] = useState('')
  const [profile, setProfile] = useState<Profile>('admin-target')
  const check = useMutation({ mutationFn: (asked: Asked) => checkEgress(api, { body: asked }) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (url.trim() !== '') check.mutate({ url: toUrl(url.trim()), profile })
  }
  return (
    <section className="card card-pad stack" aria-labelledby="check-address">
      <h2 id="check-address">{t('title')}</h2>
      <form className="egress-check" onSubmit={submit}>
        <TextInput
          label={t('address')}
          placeholder={t('example')}
          value={url}
          onChange={(event) => {
            setUrl(event.currentTarget.value)
            check.reset()
          }}
          maxLength={MAX_URL}
          required
          withAsterisk={false}
        />
        <NativeSelect
          label={t('origin')}
          value={profile}
          onChange={({ currentTarget: { value } }) => {
            setProfile(PROFILES.find((it) => it === value) ?? profile)
            check.reset()
          }}
          data={PROFILES.map((value) => ({ value, label: t(`origins.${value}`) }))}
        />
        <Button type="submit" loading={check.isPending}>
          {t('check')}
        </Button>
      </form>
      {check.isError && <ErrorAlert error={check.error} />}
      {check.data !== undefined && <Verdict asked={check.variables} verdict={check.data} onApprove={onApprove} />}
    </section>
  )
}

/** People type a host without a scheme. */
const toUrl = (text: string): string => (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)

interface VerdictProps {
  asked: Asked
  verdict: EgressCheck
  onApprove: (host: HostToApprove) => void
}

/** The reasons that have a text of their own. */
const REASONS = ['private', 'port', 'never', 'own', 'resolve', 'url', 'scheme', 'userinfo'] as const

function Verdict({ asked, verdict: { is_allowed, reason, host, addresses }, onApprove }: VerdictProps) {
  const t = textsOf('admin.egress.check')
  const known = REASONS.find((it) => it === reason) ?? 'other'
  const isApprovable = asked.profile === 'admin-target' && reason === 'private' && host !== null
  return (
    <Alert
      role="status"
      variant="light"
      color={is_allowed ? 'green' : 'red'}
      icon={<Icon name={is_allowed ? 'check' : 'alert'} />}
      title={is_allowed ? t('allowed') : t(`reasons.${known}.title`)}
    >
      <p className="egress-verdict">
        {is_allowed
          ? t.rich('allowed_help', {
              host: () => <bdi>{host}</bdi>,
              addresses: () => <bdi>{listText(addresses)}</bdi>,
            })
          : t(`reasons.${known}.help`)}
      </p>
      {isApprovable && (
        <Button size="xs" variant="default" onClick={() => onApprove({ host, port: portOf(asked.url), reason: '' })}>
          {t('allow')}
        </Button>
      )}
    </Alert>
  )
}

const portOf = (url: string): number | null => {
  const port = URL.parse(url)?.port ?? ''
  return port === '' ? null : Number(port)
}
