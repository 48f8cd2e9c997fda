// The group, person or key to which a new limit applies.
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listApiKeys, listUserGroupNames, listUsers } from '../../../../src/client/operations.ts'
import type { UsageLimit } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { PersonField } from '../../parts/person-field.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

interface FieldProps {
  value: string
  onChange: (value: string) => void
  error: string | undefined
}

export function TargetField({ scope, ...props }: FieldProps & { scope: UsageLimit['applies_to'] }) {
  if (scope === 'user_group') return <GroupField {...props} />
  if (scope === 'key') return <KeyField {...props} />
  if (scope === 'person') return <PersonField {...props} />
  return null
}

function GroupField(props: FieldProps) {
  const t = textsOf('admin.limits.form')
  const groups = useQuery({
    queryKey: ['user-groups', 'names'],
    queryFn: ({ signal }) => listUserGroupNames(api, { signal }),
  })
  if (groups.isError) return <ErrorAlert error={groups.error} retry={() => void groups.refetch()} />
  const items = groups.data?.map(({ id, name }) => ({ value: String(id), label: name }))
  return <Choice {...props} label={t('group')} none={t('no_groups')} items={items} />
}

function KeyField(props: FieldProps) {
  const t = textsOf('admin.limits.form')
  const keys = useQuery({ queryKey: ['keys'], queryFn: ({ signal }) => listApiKeys(api, { signal }) })
  if (keys.isError) return <ErrorAlert error={keys.error} retry={() => void keys.refetch()} />
  const items = keys.data?.map(({ api_key_id: id, api_key_name: name, api_key_display: display }) => ({
    value: String(id),
    label: t('key_option', { name: name ?? textsOf('parts')('key_without_name', { id: String(id) }), display }),
  }))
  return <Choice {...props} label={textsOf('parts')('key')} none={t('no_keys')} items={items} />
}

interface ChoiceProps extends FieldProps {
  label: string
  /** Shown if there is nothing to choose. */
  none: string
  items: { value: string; label: string }[] | undefined
}

const Choice = ({ label, none, items, value, onChange }: ChoiceProps) => (
  <NativeSelect
    label={label}
    description={items?.length === 0 ? none : undefined}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    data={[{ value: '', label: textsOf('parts')(items === undefined ? 'loading' : 'choose') }, ...(items ?? [])]}
    required
    withAsterisk={false}
  />
)

/** The id of the person with the address; undefined if nobody has it. */
export async function findPersonId(address: string): Promise<string | undefined> {
  const email = address.trim().toLowerCase()
  const { items } = await listUsers(api, { q: email, page_size: MAX_FOUND })
  return items.find((it) => it.email.toLowerCase() === email)?.id
}

/** Addresses that contain the address. */
const MAX_FOUND = 100
