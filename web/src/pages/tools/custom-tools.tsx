import { Badge, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ToolSnapshot } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { RecordTable } from '../../parts/record-table.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { serverOf } from './tool-definition.ts'
import { ToolSwitch } from './tool-switch.tsx'
import { customToolsQuery, PAGE_SIZE } from './tools-queries.ts'

export function CustomTools() {
  const t = textsOf('admin.tools')
  /** The last cursor is the id before the page that is shown; those before it lead back. */
  const [cursors, setCursors] = useState([0])
  const tools = useQuery(customToolsQuery(cursors.at(-1) ?? 0))
  const shown = tools.data?.slice(0, PAGE_SIZE)
  const last = shown?.at(-1)?.id
  const isMore = (tools.data?.length ?? 0) > PAGE_SIZE && !tools.isPlaceholderData
  return (
    <section className="card" aria-labelledby="custom">
      <div className="section-head">
        <h2 id="custom">{t('custom')}</h2>
      </div>
      <p className="section-note dimmed">{t('custom_help')}</p>
      {tools.isError && <ErrorAlert error={tools.error} retry={() => void tools.refetch()} />}
      {tools.isPending && <LoadingSkeleton lines={3} />}
      {shown?.length === 0 && (
        <EmptyState icon="tool" title={t('empty')}>
          {t('empty_help')}
        </EmptyState>
      )}
      {shown !== undefined && shown.length > 0 && <CustomToolTable tools={shown} />}
      {(isMore || cursors.length > 1) && (
        <div className="section-end row">
          <Button
            size="xs"
            variant="default"
            disabled={cursors.length === 1}
            onClick={() => setCursors(cursors.slice(0, -1))}
          >
            {textsOf('parts')('previous_page')}
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={!isMore}
            onClick={() => last !== undefined && setCursors([...cursors, last])}
          >
            {textsOf('parts')('next_page')}
          </Button>
        </div>
      )}
    </section>
  )
}

function CustomToolTable({ tools }: { tools: readonly ToolSnapshot[] }) {
  const t = textsOf('admin.tools')
  return (
    <RecordTable
      label={t('custom')}
      rows={tools}
      keyOf={({ id }) => id}
      columns={[
        {
          label: t('tool'),
          className: 'long-text',
          cell: (it) => (
            <>
              <AdminLink page="tools" id={String(it.id)}>
                <bdi>{it.display_name}</bdi>
              </AdminLink>
              <div className="small dimmed" dir="auto">
                {it.description}
              </div>
            </>
          ),
        },
        { label: t('server'), className: 'long-text', cell: (it) => <bdi>{serverOf(it.definition) ?? t('none')}</bdi> },
        { label: t('authentication'), cell: (it) => <Authentication tool={it} /> },
        { label: t('state'), className: 'nowrap', cell: (it) => <ToolSwitch tool={it} /> },
      ]}
    />
  )
}

function Authentication({ tool }: { tool: ToolSnapshot }) {
  const t = textsOf('admin.tools')
  const headers = tool.custom_headers?.length ?? 0
  if (tool.passthrough_auth)
    return (
      <>
        {t('auth.passthrough')}{' '}
        {tool.passthrough_grant == null && (
          <Badge color="yellow" variant="light" tt="none">
            {t('auth.not_granted')}
          </Badge>
        )}
      </>
    )
  if (tool.oauth_config_name != null) return <bdi>{tool.oauth_config_name}</bdi>
  return headers > 0 ? t('auth.headers', { count: headers }) : t('none')
}
