// Tools: what a model may call in a chat. A list by origin, a page for each tool, and one to add a tool.
import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { AdminPageProps } from '../../admin/admin-pages.ts'
import { Icon } from '../../parts/icon.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { BuiltInTools } from './built-in-tools.tsx'
import { CustomTools } from './custom-tools.tsx'
import { McpTools } from './mcp-tools.tsx'
import { NewTool } from './new-tool.tsx'
import { ToolPage } from './tool-page.tsx'
import './tools.css'

export function ToolsPage({ id }: AdminPageProps) {
  if (id === undefined) return <ToolList />
  return id === 'new' ? <NewTool /> : <ToolPage key={id} id={id} />
}

function ToolList() {
  const t = textsOf('admin.tools')
  const navigate = useNavigate()
  useTitle(t('title'))
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('help')}</p>
        </div>
        <Button
          leftSection={<Icon name="plus" size={16} />}
          onClick={() => void navigate({ to: '/admin/$page/{-$id}', params: { page: 'tools', id: 'new' } })}
        >
          {t('new')}
        </Button>
      </div>
      <div className="stack">
        <CustomTools />
        <McpTools />
        <BuiltInTools />
      </div>
    </>
  )
}
