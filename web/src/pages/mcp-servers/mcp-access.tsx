// Chooses the people and groups that may use the tools of a server.
import { Button, Checkbox, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { listUserGroupNames, updateMcpServer } from '../../../../src/client/operations.ts'
import type { MCPServer } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { useReloadMcp } from './mcp-queries.ts'

const linesOf = (text: string): string[] => text.split(/\s/).filter((it) => it !== '')

export function McpAccess({ server }: { server: MCPServer }) {
  const t = textsOf('admin.mcp.access')
  const reload = useReloadMcp()
  const [isPublic, setIsPublic] = useState(server.is_public)
  const [users, setUsers] = useState(server.users.join('\n'))
  const [groups, setGroups] = useState(server.groups.map(String))
  const save = useMutation({
    mutationFn: () =>
      updateMcpServer(api, { server_id: server.id, body: { is_public: isPublic, users: linesOf(users), groups } }),
    onSuccess: reload,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const toggle = (name: string) =>
    setGroups((before) => (before.includes(name) ? before.filter((it) => it !== name) : [...before, name]))
  return (
    <section className="card card-pad" aria-labelledby="mcp-access">
      <form className="stack tool-form" onSubmit={submit}>
        <h2 id="mcp-access">{t('title')}</h2>
        <Checkbox
          label={t('everybody')}
          checked={isPublic}
          onChange={(event) => setIsPublic(event.currentTarget.checked)}
        />
        {!isPublic && (
          <>
            <Textarea
              label={t('people')}
              description={t('people_help')}
              value={users}
              onChange={(event) => setUsers(event.currentTarget.value)}
              maxLength={320_000}
              autosize
              minRows={2}
              maxRows={10}
              spellCheck={false}
            />
            <GroupChoice chosen={groups} onToggle={toggle} />
          </>
        )}
        {save.isError && <ErrorAlert error={save.error} />}
        <div className="row">
          <Button type="submit" variant="default" loading={save.isPending}>
            {textsOf('parts')('save')}
          </Button>
          <span role="status">{save.isSuccess && t('saved')}</span>
        </div>
      </form>
    </section>
  )
}

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
