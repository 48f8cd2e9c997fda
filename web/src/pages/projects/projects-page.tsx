// The projects and the files of the person.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { CreateProject } from './project-dialogs.tsx'
import { projectsQuery } from './project-queries.ts'
import { UserFiles } from './user-files.tsx'
import './projects.css'

export function ProjectsPage() {
  const t = textsOf('projects')
  const me = useMe()
  useTitle(t('title'))
  if (me !== undefined && !hasPermission(me, 'chat')) {
    const chat = textsOf('chat.no_access')
    return (
      <EmptyState icon="chat" title={chat('title')} heading="h1">
        {chat('help')}
      </EmptyState>
    )
  }
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('help')}</p>
        </div>
      </div>
      <Projects />
      <UserFiles />
    </div>
  )
}

function Projects() {
  const t = textsOf('projects')
  const [isCreating, setCreating] = useState(false)
  const { data, isPending, isError, error, refetch } = useQuery(projectsQuery)
  return (
    <section className="card" aria-labelledby="projects">
      <div className="section-head">
        <h2 id="projects">{t('projects')}</h2>
        <Button size="xs" leftSection={<Icon name="plus" size={15} />} onClick={() => setCreating(true)}>
          {t('create')}
        </Button>
      </div>
      <div className="project-body project-overview">
        {isPending && <LoadingSkeleton lines={3} />}
        {isError && <ErrorAlert error={error} retry={() => void refetch()} />}
        {data?.length === 0 && (
          <EmptyState icon="chat" title={t('none')}>
            {t('none_help')}
          </EmptyState>
        )}
        {data !== undefined && data.length > 0 && (
          <ul className="project-cards" aria-labelledby="projects">
            {data.map((it) => (
              <li key={it.id}>
                <Link to="/projects/$project_id" params={{ project_id: String(it.id) }}>
                  <b dir="auto">{it.name}</b>
                  {it.description && (
                    <span className="dimmed small" dir="auto">
                      {it.description}
                    </span>
                  )}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </div>
      {isCreating && <CreateProject onClose={() => setCreating(false)} />}
    </section>
  )
}
