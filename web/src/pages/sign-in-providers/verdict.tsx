// The readable result of the last test of a provider.
import { Alert, Code } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getSignInProviderVerdict } from '../../../../src/client/operations.ts'
import type { SignInTestVerdict } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Time } from '../../parts/text.tsx'

const CHANGES = {
  created: 'A new account would be created.',
  linked: 'The account of the same address would be linked.',
  known: 'The account is linked already.',
}

export const verdictKey = (providerId: number) => ['sign-in-verdict', providerId]

export function Verdict({ providerId, isNew }: { providerId: number; isNew: boolean }) {
  const { data } = useQuery({
    queryKey: verdictKey(providerId),
    queryFn: ({ signal }) => getSignInProviderVerdict(api, { provider_id: providerId, signal }),
  })
  if (data == null) return isNew ? <p role="status">The test has no result any more. Test again.</p> : null
  return (
    <Alert color={data.failure === null ? 'green' : 'red'} variant="light" role="status" title={titleOf(data)}>
      <div className="stack small">
        <p>
          Tested <Time at={data.tested_at} />. Nothing was changed.
        </p>
        {data.reason !== null && <p>{data.reason}</p>}
        {data.detail !== null && data.detail !== data.reason && <p>{data.detail}</p>}
        {data.person !== null && (
          <p>
            {data.person.email}, role {data.person.role}. {data.change !== null && CHANGES[data.change]}
          </p>
        )}
        {data.person !== null && <p>Groups: {data.groups.length === 0 ? 'none' : data.groups.join(', ')}</p>}
        {data.refused_groups.map(({ name, origin }) => (
          <p key={name}>
            The group {name} is not joined: it is managed by {origin}.
          </p>
        ))}
        {data.kept_admin && <p>The last administrator keeps this role against the mapping.</p>}
        <details>
          <summary>What the provider sent</summary>
          <Code block>{JSON.stringify(data.claims, null, 2)}</Code>
        </details>
      </div>
    </Alert>
  )
}

const titleOf = ({ failure }: NonNullable<SignInTestVerdict>) =>
  failure === null ? 'This person could sign in' : 'This person could not sign in'
