// Helpers for connector tests: start the program with access to this machine, create pairs, await runs.
import assert from 'node:assert/strict'
import { connectorOf, start } from '../api/setup.ts'
import { waitFor } from '../server.ts'

// biome-ignore lint/suspicious/noExplicitAny: each test checks the response.
type Json = any

export async function startWithConnectors(env: Record<string, string> = {}, place: Parameters<typeof start>[1] = {}) {
  const service = await start({ EGRESS_ALLOW: '127.0.0.1', CONNECTOR_REQUESTS_PER_SECOND: '0', ...env }, place)
  const { ok, ask } = service
  const detail = (pair: number): Promise<Json> => ok('GET', `/manage/admin/cc-pair/${pair}`)
  const attempts = async (pair: number): Promise<Json[]> =>
    (await ok('GET', `/manage/admin/cc-pair/${pair}/index-attempts?page_size=100`)).items
  const until = <T>(look: () => Promise<T | false>, what: string) => waitFor(look, what, 100_000)
  /** Awaits `count` ended attempts and returns the latest. */
  const ended = (pair: number, count = 1): Promise<Json> =>
    until(async () => {
      const all = await attempts(pair)
      const isDone = all.length >= count && all.every((it) => it.time_finished !== null)
      return isDone ? all[0] : false
    }, `${count} attempts of pair ${pair}`)
  return {
    ...service,
    detail,
    attempts,
    until,
    ended,
    /** Creates a connector and a running pair, and returns the pair's id. */
    pull: async (name: string, connector: Json, { credential = 0, association = {} }: Json = {}): Promise<number> => {
      const id = (await ok('POST', '/manage/admin/connector', { body: connectorOf(name, connector) })).id
      const path = `/manage/admin/connector/${id}/credential/${credential}`
      return (await ok('PUT', path, { body: association })).data
    },
    connectorIdOf: async (pair: number): Promise<number> => (await detail(pair)).connector.id,
    runAgain: async (pair: number, more: Json = {}): Promise<Json> => {
      const { connector } = await detail(pair)
      const before = (await attempts(pair)).length
      await ok('POST', '/manage/admin/connector/run-once', { body: { connector_id: connector.id, ...more } })
      return ended(pair, before + 1)
    },
    /** The document ids of a pair. */
    documents: async (pair: number): Promise<string[]> =>
      (await ok('GET', `/service-api/connector-docs/${pair}`)).map((it: Json) => it.document_id),
    prune: async (pair: number, body?: Json): Promise<Json> => {
      await ok('POST', `/manage/admin/cc-pair/${pair}/prune`, body === undefined ? {} : { body })
      return until(async () => {
        const state = await ok('GET', `/manage/admin/cc-pair/${pair}/prune`)
        return ['none', 'held'].includes(state.state) ? state : false
      }, `the pruning of pair ${pair}`)
    },
    /** Makes the next access synchronization due. */
    learntAgain: async (pair: number): Promise<void> => {
      const learnt = () => until(async () => (await detail(pair)).last_full_permission_sync ?? false, 'permissions')
      await learnt()
      await service.alterRecord(`update cc_pair_schedule set access_synced = null where cc_pair_id = ${pair}`)
      await learnt()
    },
    refused: async (method: string, path: string, body: Json, status: number): Promise<Json> => {
      const reply = await ask(method, path, { body })
      assert.equal(reply.status, status, reply.text)
      return reply.body
    },
  }
}
