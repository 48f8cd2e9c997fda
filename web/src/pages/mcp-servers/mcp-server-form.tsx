// A dialog that connects an MCP server, or changes how Pharos reaches one.
import { Alert, Button, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { createMcpServer, getMcpServer, upsertMcpServer } from '../../../../src/client/operations.ts'
import type { MCPServer } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import type { DifferenceRow } from '../../parts/difference-table.tsx'
import { mergeChanges, saveVersion, type VersionedResult } from '../../parts/save-version.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { TheirChanges } from '../../parts/their-changes.tsx'
import { textsOf } from '../../text/texts.ts'
import { McpAuthFields } from './mcp-auth-fields.tsx'
import { differencesOfServers } from './mcp-differences.ts'
import { useReloadMcp } from './mcp-queries.ts'
import { isSimple, type McpValues, toServerWithAuth, toSimpleServer, valuesOfServer } from './mcp-values.ts'

interface FormProps {
  /** Absent for a new one. */
  server?: MCPServer
  onDone?: (id: number) => void
  onClose: () => void
}

export function McpServerForm({ server, onDone, onClose }: FormProps) {
  const t = textsOf('admin.mcp')
  const parts = textsOf('parts')
  const { seen, values, set, save, theirs } = useServerForm(server, (id) => {
    onClose()
    onDone?.(id)
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const isMoved = seen !== undefined && originOf(seen.server_url) !== originOf(values.server_url)
  return (
    <Dialog title={server === undefined ? t('new') : t('change')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <ServerFields values={values} set={set} />
        <McpAuthFields values={values} set={set} stored={seen?.admin_credentials ?? {}} />
        {isMoved && <Alert color="yellow">{t('moved')}</Alert>}
        <TheirChanges rows={theirs} />
        {save.isError && <ErrorAlert error={save.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {parts('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {server === undefined ? t('create') : parts('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** `seen`: the server that the person has seen. `theirs`: what another person changed since the form was opened. */
function useServerForm(server: MCPServer | undefined, onSaved: (id: number) => void) {
  const [seen, setSeen] = useState(server)
  const [values, setValues] = useState(() => valuesOfServer(server))
  const [theirs, setTheirs] = useState<readonly DifferenceRow[]>([])
  const reload = useReloadMcp()
  const save = useMutation({
    mutationFn: () => saveServer(values, seen),
    onSuccess: async (result) => {
      await reload()
      if (result.state === 'saved') return onSaved(result.saved)
      setTheirs(differencesOfServers(seen, result.current))
      setValues(mergeChanges(valuesOfServer(seen), values, valuesOfServer(result.current)))
      setSeen(result.current)
    },
  })
  const set = (change: Partial<McpValues>) => setValues((it) => ({ ...it, ...change }))
  return { seen, values, set, save, theirs }
}

async function saveServer(
  values: McpValues,
  server: MCPServer | undefined,
): Promise<VersionedResult<MCPServer, number>> {
  if (server === undefined) return { state: 'saved', saved: await createServer(values) }
  return saveVersion({
    seen: server,
    save: async (seen) => {
      const body = { ...toServerWithAuth(values, seen), expected_version: seen.version }
      return (await upsertMcpServer(api, { body })).server_id
    },
    read: () => getMcpServer(api, { server_id: server.id }),
    isSame: (one, other) => differencesOfServers(one, other).length === 0,
  })
}

async function createServer(values: McpValues): Promise<number> {
  if (isSimple(values)) return (await createMcpServer(api, { body: toSimpleServer(values) })).id
  return (await upsertMcpServer(api, { body: toServerWithAuth(values, undefined) })).server_id
}

const originOf = (url: string): string | undefined => URL.parse(url)?.origin

function ServerFields({ values, set }: { values: McpValues; set: (change: Partial<McpValues>) => void }) {
  const t = textsOf('admin.mcp')
  return (
    <>
      <TextInput
        label={textsOf('parts')('name')}
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        maxLength={200}
        autoComplete="off"
        dir="auto"
        required
        withAsterisk={false}
      />
      <TextInput
        label={t('address')}
        description={t('address_help')}
        type="url"
        value={values.server_url}
        onChange={(event) => set({ server_url: event.currentTarget.value })}
        maxLength={2_000}
        autoComplete="off"
        required
        withAsterisk={false}
      />
      <Textarea
        label={t('description')}
        value={values.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
        maxLength={10_000}
        autosize
        minRows={1}
        maxRows={8}
        dir="auto"
      />
    </>
  )
}
