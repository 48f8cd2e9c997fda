// A connector in the form of the API.
import { z } from 'zod'
import { type ConnectorListing, connectorVersion } from '../../store/sources/connectors.ts'
import { iso, isoOrNull } from '../wire/iso.ts'

export const ConnectorSnapshot = z
  .object({
    id: z.int(),
    name: z.string(),
    source: z.string(),
    input_type: z.string(),
    connector_specific_config: z.record(z.string(), z.unknown()),
    refresh_freq: z.int().nullable(),
    prune_freq: z.int().nullable(),
    indexing_start: z.iso.datetime().nullable(),
    credential_ids: z.array(z.int()),
    time_created: z.iso.datetime(),
    time_updated: z.iso.datetime(),
    version: z.string().describe('Changes with the connector: the `expected_version` of an update.'),
  })
  .meta({ id: 'ConnectorSnapshot' })

export const connectorSnapshot = (it: ConnectorListing): z.infer<typeof ConnectorSnapshot> => ({
  id: it.id,
  name: it.name,
  source: it.source,
  input_type: it.input_type,
  connector_specific_config: JSON.parse(it.connector_specific_config),
  refresh_freq: it.refresh_freq,
  prune_freq: it.prune_freq,
  indexing_start: isoOrNull(it.indexing_start),
  credential_ids: it.credential_ids,
  time_created: iso(it.time_created),
  time_updated: iso(it.time_updated),
  version: connectorVersion(it),
})
