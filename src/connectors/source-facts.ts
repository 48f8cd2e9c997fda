// The facts of all sources, for rooms that do not know the definitions.
import type { SourceFacts } from '../domain/connector.ts'
import { egressProfileOf } from './connector.ts'
import { connectorOf, connectors } from './load.ts'
import { pushedSources } from './pushed-sources.ts'

const pushedSourceOf = (source: string) => pushedSources.find((it) => it.source === source)

const namesOf = (source: string): readonly string[] => connectorOf(source)?.sources ?? [source]

export const sourceFacts: SourceFacts = {
  openSources: [
    ...connectors.filter((it) => it.hasOpenCredentials === true).flatMap((it) => it.sources),
    ...pushedSources.filter((it) => it.hasOpenCredentials === true).map((it) => it.source),
  ],
  namesOf,
  isCredentialFor: (credentialSource, connectorSource) =>
    pushedSourceOf(credentialSource)?.hasUniversalCredentials === true ||
    namesOf(connectorSource).includes(credentialSource),
  namesUploads: (source) => connectorOf(source)?.uploads !== undefined,
  hasAccess: (source) => connectorOf(source)?.hasAccess === true,
  egressProfileOf(source) {
    const connector = connectorOf(source)
    return connector === undefined ? (pushedSourceOf(source)?.egress ?? 'admin-target') : egressProfileOf(connector)
  },
}
