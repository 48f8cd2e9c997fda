import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { createCustomTool } from '../../../../src/client/operations.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { parseDefinition } from './tool-definition.ts'
import { ToolForm } from './tool-form.tsx'
import { NEW_TOOL, toNewTool } from './tool-values.ts'
import { useReloadTools } from './tools-queries.ts'

export function NewTool() {
  const t = textsOf('admin.tools')
  const [values, setValues] = useState(NEW_TOOL)
  const reload = useReloadTools()
  const navigate = useNavigate()
  const show = (id: string | undefined) => navigate({ to: '/admin/$page/{-$id}', params: { page: 'tools', id } })
  const create = useMutation({
    mutationFn: () => createCustomTool(api, { body: toNewTool(values) }),
    onSuccess: async ({ id }) => {
      await reload()
      await show(String(id))
    },
  })
  useTitle(t('new'))
  return (
    <>
      <AdminLink page="tools" className="tool-back">
        <Icon name="back" size={16} /> {t('title')}
      </AdminLink>
      <div className="page-head">
        <div>
          <h1>{t('new')}</h1>
          <p>{t('new_help')}</p>
        </div>
      </div>
      <ToolForm
        label={t('new')}
        values={values}
        set={(change) => setValues((it) => ({ ...it, ...change }))}
        onSubmit={() => create.mutate()}
      >
        {create.isError && <ErrorAlert error={create.error} />}
        <div className="row">
          <Button type="submit" loading={create.isPending} disabled={parseDefinition(values.definition) === null}>
            {t('create')}
          </Button>
          <Button variant="default" onClick={() => void show(undefined)}>
            {textsOf('parts')('cancel')}
          </Button>
        </div>
      </ToolForm>
    </>
  )
}
