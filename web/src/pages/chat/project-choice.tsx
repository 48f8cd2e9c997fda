// Moves the chat into a project, or out of it. Hidden while there are no projects.
import { NativeSelect } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { moveChatToProject, removeChatFromProject } from '../../../../src/client/operations.ts'
import { api, errorMessage } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'
import { projectsQuery } from '../projects/project-queries.ts'
import { chatKey } from './chat-query.ts'
import type { Conversation } from './conversation.ts'

const NONE = ''

export function ProjectChoice({ id, project }: { id: string; project: number | null }) {
  const t = textsOf('chat.header')
  const queryClient = useQueryClient()
  const projects = useQuery(projectsQuery).data ?? []
  const move = useMutation({
    mutationFn: (to: number | null) =>
      to === null
        ? removeChatFromProject(api, { body: { chat_session_id: id } })
        : moveChatToProject(api, { project_id: to, body: { chat_session_id: id } }),
    onSuccess: async (_, project_id) => {
      queryClient.setQueryData<Conversation>(chatKey(id), (it) => it && { ...it, project_id })
      await queryClient.invalidateQueries({ queryKey: ['chats'] })
    },
  })
  if (projects.length === 0) return null
  return (
    <NativeSelect
      size="xs"
      className="chat-project"
      aria-label={t('project')}
      value={project === null ? NONE : String(project)}
      disabled={move.isPending}
      error={move.isError ? errorMessage(move.error) : undefined}
      onChange={({ currentTarget: { value } }) => move.mutate(value === NONE ? null : Number(value))}
      data={[
        { value: NONE, label: t('no_project') },
        ...projects.map((it) => ({ value: String(it.id), label: it.name })),
      ]}
    />
  )
}
