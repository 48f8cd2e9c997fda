// One project: a question in it, its chats, its instructions and its files.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { UserProject } from '../../../../src/client/schemas.ts'
import { Icon } from '../../parts/icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { AskInProject } from './ask-in-project.tsx'
import { DeleteProject, RenameProject } from './project-dialogs.tsx'
import { ProjectFiles } from './project-files.tsx'
import { ProjectInstructions } from './project-instructions.tsx'
import { projectChatsQuery, projectQuery } from './project-queries.ts'
import './projects.css'

export function ProjectPage() {
  const { project_id } = useParams({ from: '/signed-in/projects/$project_id' })
  const { data: project, isPending, isError, error, refetch } = useQuery(projectQuery(Number(project_id)))
  useTitle(project?.name ?? textsOf('projects')('title'))
  return (
    <div className="stack">
      <p className="project-path">
        <Link to="/projects">
          <Icon name="back" size={15} /> {textsOf('projects')('title')}
        </Link>
      </p>
      {isPending && <LoadingSkeleton lines={8} />}
      {isError && (
        <>
          <h1>{textsOf('projects')('title')}</h1>
          <ErrorAlert error={error} retry={() => void refetch()} />
        </>
      )}
      {project !== undefined && (
        <>
          <ProjectHead project={project} />
          <AskInProject project={project.id} />
          <div className="project-columns">
            <ProjectChats project={project.id} />
            <div className="stack">
              <ProjectInstructions project={project.id} />
              <ProjectFiles project={project.id} />
            </div>
          </div>
        </>
      )}
    </div>
  )
}

function ProjectHead({ project }: { project: UserProject }) {
  const t = textsOf('projects')
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null)
  const close = () => setOpen(null)
  return (
    <div className="page-head project-head">
      <div>
        <h1 dir="auto">{project.name}</h1>
        {project.description && <p dir="auto">{project.description}</p>}
      </div>
      <div className="row">
        <Button size="xs" variant="default" leftSection={<Icon name="pen" size={15} />} onClick={() => setOpen('edit')}>
          {t('edit')}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="trash" size={15} />}
          onClick={() => setOpen('delete')}
        >
          {textsOf('parts')('delete')}
        </Button>
      </div>
      {open === 'edit' && <RenameProject project={project} onClose={close} />}
      {open === 'delete' && <DeleteProject project={project} onClose={close} />}
    </div>
  )
}

function ProjectChats({ project }: { project: number }) {
  const t = textsOf('projects')
  const { data, isPending, isError, error, refetch } = useQuery(projectChatsQuery(project))
  return (
    <section className="card" aria-labelledby="project-chats">
      <div className="section-head">
        <h2 id="project-chats">{t('chats')}</h2>
      </div>
      <div className="project-body">
        {isPending && <LoadingSkeleton lines={3} />}
        {isError && <ErrorAlert error={error} retry={() => void refetch()} />}
        {data?.sessions.length === 0 && (
          <EmptyState icon="chat" title={t('no_chats')}>
            {t('no_chats_help')}
          </EmptyState>
        )}
        {data !== undefined && data.sessions.length > 0 && (
          <ul className="project-list" aria-labelledby="project-chats">
            {data.sessions.map((it) => (
              <li key={it.id}>
                <Link to="/chat/{-$chat_session_id}" params={{ chat_session_id: it.id }}>
                  <bdi>{it.name || textsOf('chat')('untitled')}</bdi>
                </Link>
                <span className="dimmed small">
                  <Time at={it.time_updated} />
                </span>
              </li>
            ))}
          </ul>
        )}
        {data?.has_more && <p className="dimmed small">{t('more_chats')}</p>}
      </div>
    </section>
  )
}
