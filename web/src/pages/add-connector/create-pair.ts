// Makes the connector and connects it with its credential, which starts the first run.
import {
  createCcPair,
  createConnector,
  deleteConnector,
  type testConnector,
} from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

type DraftBody = Parameters<typeof testConnector>[1]['body']

interface Finish {
  name: string
  access_type: 'public' | 'private' | 'sync'
  /** Their names. */
  groups: readonly string[]
  refresh_freq: number | null
  prune_freq: number | null
}

/** Returns the id of the connector-credential pair. A connector that its source refuses is not kept. */
export async function createPair({ credential_id, ...draft }: DraftBody, finish: Finish): Promise<number> {
  const { groups, ...settings } = finish
  const { id } = await createConnector(api, { body: { ...draft, ...settings, input_type: 'poll' } })
  try {
    const { name, access_type } = finish
    const body = { name, access_type, groups: [...groups] }
    const { data } = await createCcPair(api, { connector_id: id, credential_id: credential_id ?? 0, body })
    return Number(data)
  } catch (error) {
    await deleteConnector(api, { connector_id: id }).catch(() => {})
    throw error
  }
}
