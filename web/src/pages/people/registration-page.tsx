// E-mail domains whose people may create an account themselves.
import { Button, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { getRegistrationSettings, replaceRegistrationSettings } from '../../../../src/client/operations.ts'
import type { RegistrationSettings } from '../../../../src/client/schemas.ts'
import { api, errorMessage } from '../../api.ts'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'

const settingsQuery = {
  queryKey: ['registration-settings'],
  queryFn: ({ signal }: { signal: AbortSignal }) => getRegistrationSettings(api, { signal }),
}

export function RegistrationPage() {
  const t = textsOf('admin.registration')
  const settings = useQuery(settingsQuery)
  useTitle(t('title'))
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('help')}</p>
        </div>
      </div>
      <section className="card card-pad stack" aria-label={t('domains')}>
        {settings.isPending && <LoadingSkeleton lines={3} />}
        {settings.isError && <ErrorAlert error={settings.error} retry={() => void settings.refetch()} />}
        {settings.data !== undefined && <DomainsForm settings={settings.data} />}
      </section>
    </>
  )
}

const linesOf = ({ domains }: RegistrationSettings): string => domains.map((it) => it.domain).join('\n')

function DomainsForm({ settings }: { settings: RegistrationSettings }) {
  const t = textsOf('admin.registration')
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
      {!settings.is_mail_configured && <p role="note">{t.rich('no_mail', { code: (name) => <code>{name}</code> })}</p>}
      <Textarea
        label={t('label')}
        description={t('domains_help')}
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
      {save.isSuccess && text === linesOf(settings) && <p role="status">{t('saved')}</p>}
      <div>
        <Button type="submit" loading={save.isPending} disabled={text === linesOf(settings)}>
          {t('save')}
        </Button>
      </div>
    </form>
  )
}
