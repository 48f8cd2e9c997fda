// Personas page by page under their newer name, and those of everybody for administrators.
import { z } from 'zod'
import { nullish, pathInteger, wireBoolean, wireInteger } from '../../domain/wire.ts'
import {
  listAllPersonas,
  listPersonas,
  type PersonaChange,
  type StoredPersona,
  undeletePersona,
  updatePersona,
} from '../../store/personas.ts'
import { pageFields, pageOf } from '../page.ts'
import { MinimalPersonaSnapshot, minimalPersona } from '../persona-snapshot.ts'
import { type Call, route } from '../route.ts'

const Numbered = z.object({
  page_num: nullish(wireInteger({ min: 0, max: 1_000_000 })).describe('From 0.'),
  page_size: nullish(wireInteger({ min: 1, max: 1_000 })).describe('10 if absent.'),
})
const Agents = z
  .object({ items: z.array(MinimalPersonaSnapshot), total_items: z.int() })
  .meta({ id: 'PaginatedAgents' })

const everything = { after: -1, limit: Number.MAX_SAFE_INTEGER }

function pageIn(all: readonly StoredPersona[], { query, subject }: Call<unknown, z.infer<typeof Numbered>, unknown>) {
  const size = query.page_size ?? 10
  const start = (query.page_num ?? 0) * size
  return { items: all.slice(start, start + size).map((it) => minimalPersona(it, subject)), total_items: all.length }
}

const admin = { access: 'admin', tag: 'Personas' } as const
const PersonaPath = z.object({ persona_id: pathInteger() })
const change = {
  ...admin,
  method: 'PATCH',
  params: PersonaPath,
  reply: z.null(),
  errors: ['PERSONA_NOT_FOUND'],
} as const
const WithDeleted = { include_deleted: nullish(wireBoolean()) }

async function update({
  params,
  body,
  subject,
  services,
}: Call<z.infer<typeof PersonaPath>, unknown, PersonaChange>): Promise<null> {
  await updatePersona(services.db, subject, params.persona_id, body, services.now())
  return null
}

export const personaListRoutes = [
  route({
    method: 'GET',
    path: '/agents',
    access: ['chat', 'read:chat'],
    tag: 'Personas',
    summary: 'List personas by pages',
    query: Numbered,
    reply: Agents,
    handle: async (call) => pageIn(await listPersonas(call.services, call.subject, everything), call),
  }),
  route({
    ...admin,
    method: 'GET',
    path: '/admin/agents',
    summary: 'List everybody’s personas by pages',
    query: Numbered.extend(WithDeleted),
    reply: Agents,
    handle: async (call) => {
      const isWithDeleted = call.query.include_deleted ?? false
      return pageIn(await listAllPersonas(call.services, { ...everything, isWithDeleted }), call)
    },
  }),
  route({
    ...admin,
    method: 'GET',
    path: '/admin/persona',
    summary: 'List everybody’s personas',
    query: z.object({ ...pageFields, ...WithDeleted }),
    reply: z.array(MinimalPersonaSnapshot),
    handle: async ({ query, subject, services }) => {
      const wanted = { ...pageOf(query), isWithDeleted: query.include_deleted ?? false }
      return (await listAllPersonas(services, wanted)).map((it) => minimalPersona(it, subject))
    },
  }),
  route({
    ...change,
    path: '/admin/persona/{persona_id}/listed',
    audit: { action: 'persona.list', object: 'persona_id' },
    summary: 'List persona or not',
    description: 'One that is not listed is still there for who knows its id.',
    body: z.object({ is_listed: wireBoolean() }).meta({ id: 'IsListedRequest' }),
    handle: update,
  }),
  route({
    ...change,
    path: '/admin/persona/{persona_id}/featured',
    audit: { action: 'persona.feature', object: 'persona_id' },
    summary: 'Feature persona or not',
    body: z.object({ is_featured: wireBoolean() }).meta({ id: 'IsFeaturedRequest' }),
    handle: update,
  }),
  route({
    ...change,
    path: '/admin/persona/{persona_id}/undelete',
    audit: { action: 'persona.undelete', object: 'persona_id' },
    summary: 'Bring persona back',
    handle: async ({ params, services }) => {
      await undeletePersona(services.db, params.persona_id)
      return null
    },
  }),
]
