// Puts in words what an administrator changes of an MCP server, and how two versions differ.
import type { MCPServer } from '../../../../src/client/schemas.ts'
import type { DifferenceRow } from '../../parts/difference-table.tsx'
import { changedRows } from '../../parts/their-changes.tsx'
import { textsOf } from '../../text/texts.ts'
import { valuesOfServer } from './mcp-values.ts'

/** The fields of the form of a server that differ. */
export function differencesOfServers(before: MCPServer | undefined, after: MCPServer): DifferenceRow[] {
  const t = textsOf('admin.mcp')
  const row = (label: string, read: (it: MCPServer | undefined) => string) => ({
    ...{ name: label, label, before: read(before), after: read(after) },
  })
  return changedRows([
    row(textsOf('parts')('name'), (it) => valuesOfServer(it).name),
    row(t('address'), (it) => valuesOfServer(it).server_url),
    row(t('description'), (it) => valuesOfServer(it).description),
    row(t('auth.type'), (it) => t(`auth.types.${valuesOfServer(it).auth_type}`)),
    row(t('auth.performer'), (it) => t(`auth.performers.${valuesOfServer(it).performer}`)),
    row(t('auth.template'), (it) => valuesOfServer(it).template),
    row(t('auth.secrets'), secretsText),
    row(t('auth.scopes'), (it) => valuesOfServer(it).scopes),
    row(t('auth.authorization_url'), (it) => valuesOfServer(it).authorization_url),
    row(t('auth.token_url'), (it) => valuesOfServer(it).token_url),
    row(t('auth.transport'), (it) => t(`auth.transports.${valuesOfServer(it).transport}`)),
  ])
}

/** The secrets are masked. */
const secretsText = (server: MCPServer | undefined): string =>
  Object.entries(server?.admin_credentials ?? {})
    .map(([name, mask]) => `${name}: ${mask}`)
    .join('\n')

/** The people and groups that may use the tools of a server, where they differ. */
export function differencesOfAccess(before: MCPServer, after: MCPServer): DifferenceRow[] {
  const t = textsOf('admin.mcp.access')
  const yes = (it: boolean) => textsOf('admin.tools')(it ? 'yes' : 'no')
  const row = (label: string, read: (it: MCPServer) => string) => ({
    ...{ name: label, label, before: read(before), after: read(after) },
  })
  return changedRows([
    row(t('everybody'), (it) => yes(it.is_public)),
    row(t('people'), (it) => it.users.join('\n')),
    row(textsOf('parts')('groups'), (it) => it.groups.join('\n')),
  ])
}
