// Embedding settings in the format of the existing server. Read-only: the operator sets them with EMBEDDING_….
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import { wireString } from '../../../wire/schemas.ts'
import { type RouteServices, route } from '../../route.ts'

const modelFields = {
  id: z.int().describe('1: the model that searches use. 2: the model that takes over once all vectors are computed.'),
  model_name: z.string(),
  normalize: z.boolean(),
  query_prefix: z.string().nullable(),
  passage_prefix: z.string().nullable(),
  api_url: z.null().describe('Always null; see the setting EMBEDDING_URL.'),
  provider_type: z.null(),
  api_key: z.null().describe('Always null; see the setting EMBEDDING_KEY.'),
}
const EmbeddingModelDetail = z.object(modelFields).meta({ id: 'EmbeddingModelDetail' })
const SavedSearchSettings = z
  .object({
    ...modelFields,
    model_dim: z.int().describe('Number of vector dimensions; 0 without a model.'),
    index_name: z.null(),
    multipass_indexing: z.boolean(),
    embedding_precision: z.enum(['float']),
    reduced_dimension: z.null(),
    switchover_type: z.enum(['reindex']),
    enable_contextual_rag: z.boolean(),
    contextual_rag_model_configuration_id: z.null(),
    contextual_rag_llm_name: z.null(),
    contextual_rag_llm_provider: z.null(),
  })
  .meta({ id: 'SavedSearchSettings' })
type SavedSearchSettings = z.infer<typeof SavedSearchSettings>

const savedSearchSettings = (id: number, model: { model: string; dimension: number } | null): SavedSearchSettings => ({
  id,
  model_name: model?.model ?? '',
  normalize: true,
  query_prefix: null,
  passage_prefix: null,
  api_url: null,
  provider_type: null,
  api_key: null,
  model_dim: model?.dimension ?? 0,
  index_name: null,
  multipass_indexing: false,
  embedding_precision: 'float',
  reduced_dimension: null,
  switchover_type: 'reindex',
  enable_contextual_rag: false,
  contextual_rag_model_configuration_id: null,
  contextual_rag_llm_name: null,
  contextual_rag_llm_provider: null,
})

function currentSettings({ embedding }: RouteServices<'embedding'>) {
  return savedSearchSettings(1, embedding.models().serving)
}
function secondarySettings({ embedding }: RouteServices<'embedding'>) {
  const { building } = embedding.models()
  return building === null ? null : savedSearchSettings(2, building)
}

const embeddingModelDetail = ({ id, ...it }: SavedSearchSettings): z.infer<typeof EmbeddingModelDetail> => ({
  id,
  model_name: it.model_name,
  normalize: it.normalize,
  query_prefix: it.query_prefix,
  passage_prefix: it.passage_prefix,
  api_url: it.api_url,
  provider_type: it.provider_type,
  api_key: it.api_key,
})

const readDefaults = { method: 'GET', access: 'search', tag: 'Embedding' } as const
const adminDefaults = { access: 'admin', tag: 'Embedding' } as const
const CloudEmbeddingProvider = z
  .object({ provider_type: z.string(), api_key: z.string().nullable(), api_url: z.string().nullable() })
  .meta({ id: 'CloudEmbeddingProvider' })

const refuseChange = (): never => {
  throw new AppError('VALIDATION_ERROR', {
    reason:
      'The embedding model is configured by the operator. Set EMBEDDING, EMBEDDING_URL, EMBEDDING_KEY and EMBEDDING_MODEL and restart the service.',
  })
}

export const searchSettingsRoutes = [
  route({
    ...readDefaults,
    name: 'getCurrentSearchSettings',
    path: '/search-settings/get-current-search-settings',
    summary: 'Get current embedding settings',
    description: '`model_name` is empty if search is keyword-only.',
    reply: SavedSearchSettings,
    services: ['embedding'],
    handle: ({ services }) => currentSettings(services),
  }),
  route({
    ...readDefaults,
    name: 'getSecondarySearchSettings',
    path: '/search-settings/get-secondary-search-settings',
    summary: 'Get secondary embedding settings',
    reply: SavedSearchSettings.nullable().describe('Null unless the index is being rebuilt for another model.'),
    services: ['embedding'],
    handle: ({ services }) => secondarySettings(services),
  }),
  route({
    ...readDefaults,
    name: 'getAllSearchSettings',
    path: '/search-settings/get-all-search-settings',
    summary: 'Get all embedding settings',
    reply: z
      .object({ current_settings: SavedSearchSettings, secondary_settings: SavedSearchSettings.nullable() })
      .meta({ id: 'FullModelVersionResponse' }),
    services: ['embedding'],
    handle: ({ services }) => ({
      current_settings: currentSettings(services),
      secondary_settings: secondarySettings(services),
    }),
  }),
  route({
    ...adminDefaults,
    name: 'listEmbeddingModels',
    method: 'GET',
    path: '/admin/embedding',
    summary: 'List embedding models',
    reply: z.array(EmbeddingModelDetail),
    services: ['embedding'],
    handle: ({ services }) =>
      [currentSettings(services), secondarySettings(services)].flatMap((it) =>
        it === null || it.model_name === '' ? [] : [embeddingModelDetail(it)],
      ),
  }),
  route({
    ...adminDefaults,
    name: 'listEmbeddingProviders',
    method: 'GET',
    path: '/admin/embedding/embedding-provider',
    summary: 'List embedding providers',
    description: 'Always empty: the only provider is configured with EMBEDDING, EMBEDDING_URL and EMBEDDING_KEY.',
    reply: z.array(CloudEmbeddingProvider),
    handle: () => [],
  }),
  route({
    ...adminDefaults,
    name: 'putEmbeddingProvider',
    method: 'PUT',
    path: '/admin/embedding/embedding-provider',
    summary: 'Set embedding provider (not supported)',
    audit: { action: 'embedding_provider.put' },
    reply: z.null(),
    errors: ['VALIDATION_ERROR'],
    handle: refuseChange,
  }),
  route({
    ...adminDefaults,
    name: 'deleteEmbeddingProvider',
    method: 'DELETE',
    path: '/admin/embedding/embedding-provider/{provider_type}',
    isHidden: true,
    summary: 'Set embedding provider (not supported)',
    audit: { action: 'embedding_provider.delete', object: 'provider_type' },
    params: z.object({ provider_type: wireString({ max: 100 }) }),
    reply: z.null(),
    errors: ['VALIDATION_ERROR'],
    handle: refuseChange,
  }),
]
