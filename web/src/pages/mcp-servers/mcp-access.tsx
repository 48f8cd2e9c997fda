// Chooses the people and groups that may use the tools of a server.
import { Button, Checkbox, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { getMcpServer, listUserGroupNames, updateMcpServer } from '../../../../src/client/operations.ts'
import type { MCPServer } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import type { DifferenceRow } from '../../parts/difference-table.tsx'
import { mergeChanges, saveVersion } from '../../parts/save-version.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { TheirChanges } from '../../parts/their-changes.tsx'
import { textsOf } from '../../text/texts.ts'
import { differencesOfAccess } from './mcp-differences.ts'
import { useReloadMcp } from './mcp-queries.ts'

const linesOf = (text: string): string[] => text.split(/\s/).filter((it) => it !== '')

export function McpAccess({ server }: { server: MCPServer }) {
  const t = textsOf('admin.mcp.access')
  const { values, set, save, theirs } = useAccessForm(server)
  const { isPublic, users, groups } = values
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const toggle = (name: string) =>
    set({ groups: groups.includes(name) ? groups.filter((it) => it !== name) : [...groups, name] })
  return (
    <section className="card card-pad" aria-labelledby="mcp-access">
      <form className="stack tool-form" onSubmit={submit}>
        <h2 id="mcp-access">{t('title')}</h2>
        <Checkbox
          label={t('everybody')}
          checked={isPublic}
          onChange={(event) => set({ isPublic: event.currentTarget.checked })}
        />
        {!isPublic && (
          <>
            <Textarea
              label={t('people')}
              description={t('people_help')}
              value={users}
              onChange={(event) => set({ users: event.currentTarget.value })}
              maxLength={320_000}
              autosize
              minRows={2}
              maxRows={10}
              spellCheck={false}
            />
            <GroupChoice chosen={groups} onToggle={toggle} />
          </>
        )}
        <TheirChanges rows={theirs} />
        {save.isError && <ErrorAlert error={save.error} />}
        <div className="row">
          <Button type="submit" variant="default" loading={save.isPending}>
            {textsOf('parts')('save')}
          </Button>
          <span role="status">{save.data?.state === 'saved' && t('saved')}</span>
        </div>
      </form>
    </section>
  )
}

/** `seen`: the server that the person has seen. `theirs`: what another person changed since. */
function useAccessForm(server: MCPServer) {
  const [seen, setSeen] = useState(server)
  const [values, setValues] = useState(() => valuesOfAccess(server))
  const [theirs, setTheirs] = useState<readonly DifferenceRow[]>([])
  const reload = useReloadMcp()
  const save = useMutation({
    mutationFn: () =>
      saveVersion({
        seen,
        save: (it) => saveAccess(it, values),
        read: () => getMcpServer(api, { server_id: server.id }),
        isSame: (one, other) => differencesOfAccess(one, other).length === 0,
      }),
    onSuccess: async (result) => {
      await reload()
      const current = result.state === 'saved' ? result.saved : result.current
      setTheirs(result.state === 'saved' ? [] : differencesOfAccess(seen, current))
      setValues(mergeChanges(valuesOfAccess(seen), values, valuesOfAccess(current)))
      setSeen(current)
    },
  })
  const set = (change: Partial<AccessValues>) => setValues((it) => ({ ...it, ...change }))
  return { values, set, save, theirs }
}

interface AccessValues {
  isPublic: boolean
  /** Addresses, a line for each. */
  users: string
  groups: readonly string[]
}

const valuesOfAccess = (it: MCPServer): AccessValues => ({
  isPublic: it.is_public,
  users: it.users.join('\n'),
  groups: it.groups.map(String),
})

const saveAccess = ({ id, version }: MCPServer, { isPublic, users, groups }: AccessValues): Promise<MCPServer> =>
  updateMcpServer(api, {
    server_id: id,
    body: { is_public: isPublic, users: linesOf(users), groups: [...groups], expected_version: version },
  })

function GroupChoice({ chosen, onToggle }: { chosen: readonly string[]; onToggle: (name: string) => void }) {
  const t = textsOf('admin.mcp.access')
  const groups = useQuery({
    queryKey: ['user-groups', 'names'],
    queryFn: ({ signal }) => listUserGroupNames(api, { signal }),
  })
  const names = [...new Set([...(groups.data?.map((it) => it.name) ?? []), ...chosen])]
  return (
    <fieldset className="tool-headers">
      <legend>{textsOf('parts')('groups')}</legend>
      {groups.isError && <ErrorAlert error={groups.error} retry={() => void groups.refetch()} />}
      {groups.data !== undefined && names.length === 0 && <p className="dimmed">{t('no_groups')}</p>}
      {names.map((name) => (
        <Checkbox
          key={name}
          label={<bdi>{name}</bdi>}
          checked={chosen.includes(name)}
          onChange={() => onToggle(name)}
        />
      ))}
    </fieldset>
  )
}
