// E-mail domains whose people may create an account themselves.
import { Button, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { getRegistrationSettings, replaceRegistrationSettings } from '../../../../src/client/operations.ts'
import type { RegistrationSettings } from '../../../../src/client/schemas.ts'
import { api, errorMessage } from '../../api.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'

const settingsQuery = {
  queryKey: ['registration-settings'],
  queryFn: ({ signal }: { signal: AbortSignal }) => getRegistrationSettings(api, { signal }),
}

export function RegistrationPage() {
  const settings = useQuery(settingsQuery)
  useEffect(() => {
    document.title = 'Registration · Pharos'
  }, [])
  return (
    <>
      <div className="page-head">
        <div>
          <h1>Registration</h1>
          <p>Normally an account needs an invitation. People of the domains below create one with a link by mail.</p>
        </div>
      </div>
      <section className="card card-pad stack" aria-label="Domains">
        {settings.isPending && <LoadingSkeleton lines={3} />}
        {settings.isError && <ErrorAlert error={settings.error} retry={() => void settings.refetch()} />}
        {settings.data !== undefined && <DomainsForm settings={settings.data} />}
      </section>
    </>
  )
}

const linesOf = ({ domains }: RegistrationSettings): string => domains.map((it) => it.domain).join('\n')

function DomainsForm({ settings }: { settings: RegistrationSettings }) {
  const [text, setText] = useState(linesOf(settings))
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: (domains: string[]) => replaceRegistrationSettings(api, { body: { domains } }),
    onSuccess: (answer) => {
      setText(linesOf(answer))
      queryClient.setQueryData(settingsQuery.queryKey, answer)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(text.split(/\s+/).filter((it) => it !== ''))
  }
  return (
    <form className="stack" onSubmit={submit}>
      {!settings.is_mail_configured && (
        <p role="note">
          No mail server is set up, so no domain can be opened. The operator sets <code>SMTP_URL</code>,{' '}
          <code>MAIL_FROM</code> and <code>PUBLIC_URL</code>.
        </p>
      )}
      <Textarea
        label="Opened domains"
        description="One in each line, such as example.com. Subdomains are not included. Everybody with such an address can search what all people may read."
        autosize
        minRows={3}
        maxLength={15_000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={save.isError ? errorMessage(save.error) : undefined}
      />
      {settings.domains.map(
        ({ domain, warning }) =>
          warning !== null && (
            <p key={domain} role="alert" className="small">
              {warning}
            </p>
          ),
      )}
      {save.isSuccess && text === linesOf(settings) && <p role="status">The domains are saved.</p>}
      <div>
        <Button type="submit" loading={save.isPending} disabled={text === linesOf(settings)}>
          Save domains
        </Button>
      </div>
    </form>
  )
}
