// A dialog for the person's own credentials at an MCP server. The server is asked whether it accepts them.
import { Button, PasswordInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { saveMcpUserCredentials } from '../../../../src/client/operations.ts'
import type { MCPServer } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'

export function McpCredentials({ server, onClose }: { server: MCPServer; onClose: () => void }) {
  const t = textsOf('account.servers')
  const parts = textsOf('parts')
  const queryClient = useQueryClient()
  const names = namesOfFields(server)
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const save = useMutation({
    mutationFn: () => saveMcpUserCredentials(api, { body: { server_id: server.id, credentials: { ...values } } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['connected'] })
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Dialog title={t('credentials_title')} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p className="long-text">{t.rich('credentials_help', { name: () => <bdi>{server.name}</bdi> })}</p>
        {names.map((name) => {
          const label = name === 'api_key' ? t('api_key') : name
          return (
            <PasswordInput
              key={name}
              label={label}
              placeholder={server.user_credentials?.[name]}
              value={values[name] ?? ''}
              onChange={(event) => {
                const { value } = event.currentTarget
                setValues((before) => ({ ...before, [name]: value }))
              }}
              maxLength={10_000}
              autoComplete="off"
              required
              withAsterisk={false}
              visibilityToggleButtonProps={{ 'aria-label': textsOf('parts.form')('show_secret', { field: label }) }}
            />
          )
        })}
        {save.isError && <ErrorAlert error={save.error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {parts('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t('credentials_save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function namesOfFields({ auth_template }: MCPServer): readonly string[] {
  const required = auth_template?.required_fields ?? []
  return required.length === 0 ? ['api_key'] : required
}
