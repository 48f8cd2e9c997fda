import { Badge } from '@mantine/core'
import type { MCPServer } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'

const COLORS: Record<MCPServer['status'], string> = {
  CREATED: 'gray',
  AWAITING_AUTH: 'yellow',
  FETCHING_TOOLS: 'blue',
  CONNECTED: 'green',
  DISCONNECTED: 'gray',
}

export const McpStatus = ({ status }: { status: MCPServer['status'] }) => (
  <Badge color={COLORS[status]} variant="light" tt="none">
    {textsOf('admin.mcp')(`statuses.${status}`)}
  </Badge>
)
