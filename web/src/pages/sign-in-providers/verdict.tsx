// The readable result of the last test of a provider.
import { Alert, Code } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getSignInProviderVerdict } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { isRole, roleLabel } from '../people/roles.ts'

export const verdictKey = (providerId: number) => ['sign-in-verdict', providerId]

export function Verdict({ providerId, isNew }: { providerId: number; isNew: boolean }) {
  const t = textsOf('admin.sign_in.verdict')
  const { data } = useQuery({
    queryKey: verdictKey(providerId),
    queryFn: ({ signal }) => getSignInProviderVerdict(api, { provider_id: providerId, signal }),
  })
  if (data == null) return isNew ? <p role="status">{t('gone')}</p> : null
  return (
    <Alert
      color={data.failure === null ? 'green' : 'red'}
      variant="light"
      role="status"
      title={data.failure === null ? t('success') : t('failure')}
    >
      <div className="stack small">
        <p>{t.rich('tested', { time: () => <Time at={data.tested_at} /> })}</p>
        {data.reason !== null && <p>{data.reason}</p>}
        {data.detail !== null && data.detail !== data.reason && <p>{data.detail}</p>}
        {data.person !== null && (
          <p>
            <bdi>
              {t('person', {
                email: data.person.email,
                role: isRole(data.person.role) ? roleLabel(data.person.role) : data.person.role,
              })}
            </bdi>{' '}
            {data.change !== null && t(`changes.${data.change}`)}
          </p>
        )}
        {data.person !== null && (
          <p>{data.groups.length === 0 ? t('no_groups') : t('groups', { groups: data.groups.join(', ') })}</p>
        )}
        {data.refused_groups.map(({ name, origin }) => (
          <p key={name}>{t('refused_group', { name, origin })}</p>
        ))}
        {data.kept_admin && <p>{t('kept_admin')}</p>}
        <details>
          <summary>{t('sent')}</summary>
          <Code block>{JSON.stringify(data.claims, null, 2)}</Code>
        </details>
      </div>
    </Alert>
  )
}
