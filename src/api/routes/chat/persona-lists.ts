// Personas by page, under their newer name "agents", and the personas of all users for administrators.
import { z } from 'zod'
import {
  listAllPersonas,
  listPersonas,
  type PersonaChange,
  type StoredPersona,
  undeletePersona,
  updatePersona,
} from '../../../store/chats/personas.ts'
import { nullish, wireBoolean, wireInteger, wirePathInteger } from '../../../wire/schemas.ts'
import { type RouteCall, route } from '../../route.ts'
import { loadPersonaViewer, MinimalPersonaSnapshot, minimalPersonaSnapshot } from '../../views/persona-snapshot.ts'
import { pageFields, toPage } from '../../wire/page.ts'

const NumberedPageQuery = z.object({
  page_num: nullish(wireInteger({ min: 0, max: 1_000_000 })).describe('Starts at 0.'),
  page_size: nullish(wireInteger({ min: 1, max: 1_000 })).describe('Default: 10.'),
})
const PaginatedAgents = z
  .object({ items: z.array(MinimalPersonaSnapshot), total_items: z.int() })
  .meta({ id: 'PaginatedAgents' })

const unlimitedPage = { after: -1, limit: Number.MAX_SAFE_INTEGER }

async function personaPage(
  all: readonly StoredPersona[],
  { query, subject, services }: RouteCall<unknown, z.infer<typeof NumberedPageQuery>, unknown, 'db'>,
) {
  const viewer = await loadPersonaViewer(services.db, subject)
  const size = query.page_size ?? 10
  const start = (query.page_num ?? 0) * size
  return {
    items: all.slice(start, start + size).map((it) => minimalPersonaSnapshot(it, viewer)),
    total_items: all.length,
  }
}

const adminDefaults = { access: 'admin', tag: 'Personas' } as const
const PersonaPath = z.object({ persona_id: wirePathInteger() })
const changeDefaults = {
  ...adminDefaults,
  allowsTokens: true,
  method: 'PATCH',
  params: PersonaPath,
  reply: z.null(),
  errors: ['PERSONA_NOT_FOUND'],
} as const
const includeDeletedField = { include_deleted: nullish(wireBoolean()) }

async function updatePersonaFields({
  params,
  body,
  subject,
  services,
}: RouteCall<z.infer<typeof PersonaPath>, unknown, PersonaChange, 'db' | 'now'>): Promise<null> {
  await updatePersona(services.db, subject, params.persona_id, body, services.now())
  return null
}

export const personaListRoutes = [
  route({
    name: 'listAgents',
    method: 'GET',
    path: '/agents',
    access: ['chat', 'read:chat'],
    tag: 'Personas',
    summary: 'List agents',
    query: NumberedPageQuery,
    reply: PaginatedAgents,
    services: ['db', 'secrets'],
    handle: async (call) => personaPage(await listPersonas(call.services, call.subject, unlimitedPage), call),
  }),
  route({
    ...adminDefaults,
    name: 'listAllAgents',
    method: 'GET',
    path: '/admin/agents',
    summary: 'List agents of all users',
    query: NumberedPageQuery.extend(includeDeletedField),
    reply: PaginatedAgents,
    services: ['db', 'secrets'],
    handle: async (call) => {
      const isWithDeleted = call.query.include_deleted ?? false
      return personaPage(await listAllPersonas(call.services, { ...unlimitedPage, isWithDeleted }), call)
    },
  }),
  route({
    ...adminDefaults,
    name: 'listAllPersonas',
    method: 'GET',
    path: '/admin/persona',
    summary: 'List personas of all users',
    query: z.object({ ...pageFields, ...includeDeletedField }),
    reply: z.array(MinimalPersonaSnapshot),
    services: ['db', 'secrets'],
    handle: async ({ query, subject, services }) => {
      const filter = { ...toPage(query), isWithDeleted: query.include_deleted ?? false }
      const viewer = await loadPersonaViewer(services.db, subject)
      return (await listAllPersonas(services, filter)).map((it) => minimalPersonaSnapshot(it, viewer))
    },
  }),
  route({
    ...changeDefaults,
    name: 'setPersonaListed',
    path: '/admin/persona/{persona_id}/listed',
    audit: { action: 'persona.list', object: 'persona_id' },
    summary: 'Set whether persona is listed',
    description: 'An unlisted persona can still be used by its id.',
    body: z.object({ is_listed: wireBoolean() }).meta({ id: 'IsListedRequest' }),
    services: ['db', 'now'],
    handle: updatePersonaFields,
  }),
  route({
    ...changeDefaults,
    name: 'setPersonaFeatured',
    path: '/admin/persona/{persona_id}/featured',
    audit: { action: 'persona.feature', object: 'persona_id' },
    summary: 'Set whether persona is featured',
    body: z.object({ is_featured: wireBoolean() }).meta({ id: 'IsFeaturedRequest' }),
    services: ['db', 'now'],
    handle: updatePersonaFields,
  }),
  route({
    ...changeDefaults,
    name: 'undeletePersona',
    path: '/admin/persona/{persona_id}/undelete',
    audit: { action: 'persona.undelete', object: 'persona_id' },
    summary: 'Undelete persona',
    services: ['db'],
    handle: async ({ params, services }) => {
      await undeletePersona(services.db, params.persona_id)
      return null
    },
  }),
]
