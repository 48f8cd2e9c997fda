// Dialogs that create, rename and delete a project.
import { Button, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { createProject, deleteProject, updateProject } from '../../../../src/client/operations.ts'
import type { UserProject } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { MAX_DESCRIPTION, MAX_NAME } from './project-queries.ts'

interface Fields {
  name: string
  description: string | null
}

export function CreateProject({ onClose }: { onClose: () => void }) {
  const t = textsOf('projects')
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const create = useMutation({
    mutationFn: (fields: Fields) => createProject(api, fields),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: ['projects'] })
      onClose()
      await navigate({ to: '/projects/$project_id', params: { project_id: String(id) } })
    },
  })
  return (
    <ProjectForm
      title={t('create')}
      action={t('create_action')}
      before={{ name: '', description: null }}
      isPending={create.isPending}
      error={create.error}
      onSave={(it) => create.mutate(it)}
      onClose={onClose}
    />
  )
}

export function RenameProject({ project, onClose }: { project: UserProject; onClose: () => void }) {
  const t = textsOf('projects')
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: (body: Fields) => updateProject(api, { project_id: project.id, body }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['projects'] })
      onClose()
    },
  })
  return (
    <ProjectForm
      title={t('edit')}
      action={textsOf('parts')('save')}
      before={project}
      isPending={save.isPending}
      error={save.error}
      onSave={(it) => save.mutate(it)}
      onClose={onClose}
    />
  )
}

interface FormProps {
  title: string
  action: string
  before: Fields
  isPending: boolean
  error: unknown
  onSave: (fields: Fields) => void
  onClose: () => void
}

function ProjectForm({ title, action, before, isPending, error, onSave, onClose }: FormProps) {
  const t = textsOf('projects')
  const [name, setName] = useState(before.name)
  const [description, setDescription] = useState(before.description ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') onSave({ name: name.trim(), description: description.trim() || null })
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <TextInput
          label={t('name')}
          value={name}
          maxLength={MAX_NAME}
          onChange={(event) => setName(event.currentTarget.value)}
          dir="auto"
          autoComplete="off"
        />
        <Textarea
          label={t('description')}
          value={description}
          maxLength={MAX_DESCRIPTION}
          autosize
          minRows={2}
          maxRows={6}
          onChange={(event) => setDescription(event.currentTarget.value)}
          dir="auto"
        />
        {error !== null && <ErrorAlert error={error} />}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {textsOf('parts')('cancel')}
          </Button>
          <Button type="submit" loading={isPending} disabled={name.trim() === ''}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

export function DeleteProject({ project, onClose }: { project: UserProject; onClose: () => void }) {
  const t = textsOf('projects')
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deleteProject(api, { project_id: project.id }),
    onSuccess: async () => {
      await navigate({ to: '/projects' })
      queryClient.removeQueries({ queryKey: ['projects', project.id] })
      await queryClient.invalidateQueries({ queryKey: ['projects'] })
      await queryClient.invalidateQueries({ queryKey: ['chats'] })
    },
  })
  return (
    <ConfirmDialog
      title={t('delete_title')}
      action={textsOf('parts')('delete')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t.rich('delete_help', { name: () => <bdi>{project.name}</bdi> })}
    </ConfirmDialog>
  )
}
