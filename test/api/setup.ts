// The setup of most tests: an indexed document, an open or closed pair, a key for a person.

import assert from 'node:assert/strict'
import { RIGHTS } from '../../src/domain/subject.ts'
import { alterRecord } from '../record.ts'
import { type ServerOptions, startServer } from '../server.ts'
import { createRequester, type Question, type Reply, type Requester } from './request.ts'

type Json = Record<string, unknown>

/** The program under test with its setup functions. It ends with the file. */
export async function start(env: Record<string, string> = {}, place: Pick<ServerOptions, 'dataDir'> = {}) {
  const server = await startServer({ ...place, env: { LOG_LEVEL: 'warn', ...env } })
  const ask = createRequester(server)
  return { server, ask, ...createSetup(ask), alterRecord: (sql: string) => alterRecord(server.dataDir, sql) }
}

/** The smallest document of the specification, with one section that has this text. */
export const documentOf = (text: string, more: Json = {}): Json => ({
  semantic_identifier: 'A note',
  sections: [{ text }],
  source: 'web',
  metadata: {},
  ...more,
})

export function createSetup(ask: Requester) {
  /** Returns the body of a 200. Any other status fails the test. */
  const ok = async (method: string, path: string, question?: Question) => {
    const reply = await ask(method, path, question)
    assert.equal(reply.status, 200, `${method} ${path} answered ${reply.status} ${reply.text}`)
    return reply.body
  }
  return {
    ok,

    /** The document is searchable when this resolves. */
    push: async (document: Json, more: Json = {}, question: Question = {}): Promise<Reply['body']> => {
      const body = { document, ...more }
      const answer = await ok('POST', '/service-api/ingestion?wait_for=indexed&timeout_ms=30000', { body, ...question })
      assert.equal(answer.status, 'indexed')
      return answer
    },

    receipt: (id: string): Promise<Reply['body']> => ok('GET', `/service-api/ingestion/${encodeURIComponent(id)}`),

    search: (query: string, more: Json = {}, question: Question = {}): Promise<Reply['body']> =>
      ok('POST', '/search', { body: { query, ...more }, ...question }),

    /** Returns the ids found, in alphabetical order. */
    found: async (query: string, key?: string): Promise<string[]> => {
      const question = key === undefined ? {} : { key }
      const { results } = await ok('POST', '/search', { body: { query, num_hits: 100 }, ...question })
      return results.map((it: { document_id: string }) => it.document_id).sort()
    },

    makeConnector: async (name: string, more: Json = {}): Promise<number> =>
      (await ok('POST', '/manage/admin/connector', { body: connectorOf(name, more) })).id,

    /** Creates a connector of that name with credential 0 and returns the id of the pair. */
    makePair: async (name: string, association: Json = {}, connector: Json = {}): Promise<number> => {
      const { id } = await ok('POST', '/manage/admin/connector', { body: connectorOf(name, connector) })
      const { data } = await ok('PUT', `/manage/admin/connector/${id}/credential/0`, { body: association })
      return data
    },

    makeKey: async (body: Json): Promise<string> => (await ok('POST', '/admin/api-key', { body })).api_key,

    /** Returns every item of the listing, of all sources. */
    listed: async (): Promise<Reply['body'][]> => {
      const body = { get_all_connectors: true }
      const sources = await ok('POST', '/manage/admin/connector/indexing-status', { body })
      return sources.flatMap((it: { indexing_statuses: Json[] }) => it.indexing_statuses)
    },
  }
}

/** A connector as in the specification. Nothing pulls from its source, so it accepts pushed documents. */
export const connectorOf = (name: string, more: Json = {}): Json => ({
  name,
  source: 'intranet',
  input_type: 'poll',
  access_type: 'PUBLIC',
  connector_specific_config: {},
  refresh_freq: 3600,
  prune_freq: 86400,
  ...more,
})

/** The rights among the names that /me and /me/permissions answer; the others are permissions of the wire. */
export const rightsAmong = (names: readonly string[]): string[] =>
  names.filter((it) => RIGHTS.some((right) => right === it))
