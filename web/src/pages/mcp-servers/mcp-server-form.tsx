// A dialog that connects an MCP server, or changes how Pharos reaches one.
import { Alert, Button, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { createMcpServer, getMcpServer, upsertMcpServer } from '../../../../src/client/operations.ts'
import type { MCPServer } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { McpAuthFields } from './mcp-auth-fields.tsx'
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
  const [before] = useState(() => valuesOfServer(server))
  const [values, setValues] = useState(before)
  const reload = useReloadMcp()
  const save = useMutation({
    mutationFn: async () =>
      (await isChangedMeanwhile(before, server)) ? ('changed_meanwhile' as const) : saveServer(values, server),
    onSuccess: async (id) => {
      await reload()
      if (id === 'changed_meanwhile') return
      onClose()
      onDone?.(id)
    },
  })
  const set = (change: Partial<McpValues>) => setValues((it) => ({ ...it, ...change }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const isMoved = server !== undefined && originOf(server.server_url) !== originOf(values.server_url)
  return (
    <Dialog title={server === undefined ? t('new') : t('change')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <ServerFields values={values} set={set} />
        <McpAuthFields values={values} set={set} stored={server?.admin_credentials ?? {}} />
        {isMoved && <Alert color="yellow">{t('moved')}</Alert>}
        {save.data === 'changed_meanwhile' && (
          <Alert color="yellow" role="alert">
            {t('changed_meanwhile')}
          </Alert>
        )}
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

/** Whether another person changed the server since the form was opened. */
async function isChangedMeanwhile(before: McpValues, server: MCPServer | undefined): Promise<boolean> {
  if (server === undefined) return false
  const current = valuesOfServer(await getMcpServer(api, { server_id: server.id }))
  return JSON.stringify(current) !== JSON.stringify(before)
}

async function saveServer(values: McpValues, server: MCPServer | undefined): Promise<number> {
  if (server === undefined && isSimple(values)) return (await createMcpServer(api, { body: toSimpleServer(values) })).id
  return (await upsertMcpServer(api, { body: toServerWithAuth(values, server) })).server_id
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
