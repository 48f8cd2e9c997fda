// Tools as in a chat, with a real record and the real egress. Only names and addresses lead to this machine.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after } from 'node:test'
import type { PacketObject } from '../../src/domain/chat/packet.ts'
import { type Role, rightsOfKey, type Subject } from '../../src/domain/subject.ts'
import { CustomToolCreate, type ToolSnapshot } from '../../src/domain/tools/tool.ts'
import { createExtractor } from '../../src/extract/extract.ts'
import { openBlobsFolder } from '../../src/store/files/blobs-folder.ts'
import { insertUserFiles } from '../../src/store/files/user-files.ts'
import { createKeyRing, deriveSecretKey } from '../../src/store/secrets/key-ring.ts'
import { createSecretBox } from '../../src/store/secrets/secret-box.ts'
import { insertTool } from '../../src/store/tools/custom-tools.ts'
import type { Callable, PendingCall, ToolRun } from '../../src/tools/tool.ts'
import { openToolRegistry, type ToolRegistryDeps } from '../../src/tools/tool-registry.ts'
import { type FakeInternet, openFakeInternet } from '../egress/fake-internet.ts'
import { temporaryDatabase } from '../temporary-database.ts'

export const personOf = (user_id: string, role: Role = 'basic'): Subject => ({
  api_key_id: 1,
  credential: { kind: 'key', kid: 'kid' },
  user_id,
  person_id: null,
  usage_id: user_id,
  email: `${user_id}@example.org`,
  groups: [],
  curated_groups: [],
  role,
  rights: rightsOfKey(role, null),
  scopes: null,
})

export const ANN = personOf('ann')
export const BOB = personOf('bob')
export const ADA = personOf('ada', 'admin')

type Json = Record<string, unknown>

/** One operation at `path` of http://tool.example. */
export const definitionOf = (
  operations: Record<string, Record<string, Json>>,
  server = 'http://tool.example',
): Json => ({
  openapi: '3.0.0',
  info: { title: 'T', description: 'T' },
  servers: [{ url: server }],
  paths: Object.fromEntries(
    Object.entries(operations).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, it]) => [method, { summary: 'It does something', ...it }]),
      ),
    ]),
  ),
})

export interface Run extends ToolRun {
  packets: PacketObject[]
  asked: PendingCall[]
}

/** The context that a chat of that person passes to a tool. `answer` is the person's answer to a question. */
export function runOf(subject: Subject, more: Partial<ToolRun> = {}, answer = true): Run {
  const [packets, asked]: [PacketObject[], PendingCall[]] = [[], []]
  return {
    subject,
    filters: {},
    question: '',
    remoteHeaders: {},
    emit: (packet) => void packets.push(packet),
    confirm: async (call) => {
      asked.push(call)
      return answer
    },
    signal: AbortSignal.timeout(50_000),
    packets,
    asked,
    ...more,
  }
}

export async function openToolFixture(
  more: Partial<ToolRegistryDeps> = {},
  egressSettings: Parameters<typeof openFakeInternet>[0] = {},
) {
  const internet: FakeInternet = await openFakeInternet(egressSettings)
  const { db, folder } = await temporaryDatabase()
  const extractor = createExtractor({ processes: 1 })
  after(() => extractor.close())
  const secrets = createSecretBox(createKeyRing([], deriveSecretKey('a secret key of the operator', 'SECRET_KEY')))
  const blobs = await openBlobsFolder(join(folder, 'blobs'))
  const logged: { facts: object; message: string }[] = []
  const log = (facts: object, message: string) => void logged.push({ facts, message })
  const needs: ToolRegistryDeps = {
    db,
    secrets,
    blobs,
    egress: internet.egress,
    extractor,
    recognisePages: null,
    logger: { debug: log, info: log, warn: log, error: log },
    now: Date.now,
    callTokens: { issue: async (subject, { kind, id }) => `token-of-${subject.user_id}-for-${kind}-${id}` },
    publicUrl: () => 'https://pharos.example',
    retrieve: () => assert.fail('this test must not search'),
    readContextWindows: () => assert.fail('this test must not read documents'),
    ...more,
  }
  const tools = openToolRegistry(needs)
  const callables = async (subject: Subject, ids: readonly number[]): Promise<Callable[]> =>
    (await tools.toolsFor(subject, ids)).flatMap((it) => it.callables)
  return {
    internet,
    db,
    secrets,
    tools,
    logged,
    callables,
    make: (subject: Subject, body: Json): Promise<ToolSnapshot> =>
      insertTool({ db, secrets }, subject, CustomToolCreate.parse({ name: 'T', passthrough_auth: false, ...body }), 1),
    /** Returns the only operation of a tool that was made from the definition. */
    one: async (subject: Subject, body: Json): Promise<Callable> => {
      const { id } = await insertTool(
        { db, secrets },
        subject,
        CustomToolCreate.parse({ name: 'T', passthrough_auth: false, ...body }),
        1,
      )
      return (await callables(subject, [id]))[0]!
    },
    idOf: async (in_code_tool_id: string): Promise<number> => {
      const row = db.selectFrom('tool').select('id').where('in_code_tool_id', '=', in_code_tool_id)
      return (await row.executeTakeFirstOrThrow()).id
    },
    upload: async ({ user_id }: Subject, id: string, name: string, text: string | Buffer, file_type = 'text/plain') => {
      const received = await blobs.receive(Readable.from([Buffer.from(text)]))
      const row = { id, name, file_type, user_id, created_at: Date.now() }
      await insertUserFiles({ db, blobs }, [{ row, received }])
    },
  }
}
