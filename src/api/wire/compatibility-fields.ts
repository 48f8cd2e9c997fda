// Fields that clients of the existing server send and that Pharos does not use. They are ignored, whatever they resemble.

/** By schema name. A connector names those of its configuration in its definition. */
const COMPATIBILITY_FIELDS: Readonly<Record<string, readonly string[]>> = {
  ApiKeyArgs: ['group_ids', 'user_id'],
  ApiKeyUpdate: ['group_ids', 'user_id'],
  AssociationRequest: ['auto_sync_options', 'processing_mode'],
  DocumentSetCreationRequest: ['federated_connectors'],
  DocumentSetUpdateRequest: ['federated_connectors'],
  ImageSection: ['type', 'csv_file_id'],
  IngestionDocument: [
    'additional_info',
    'doc_created_at',
    'doc_metadata',
    'file_id',
    'parent_hierarchy_node_id',
    'parent_hierarchy_raw_node_id',
  ],
  LLMProviderUpsertRequest: [
    'default_model_name',
    'default_vision_model',
    'display_model_names',
    'fast_default_model_name',
    'is_default_provider',
    'is_default_vision_provider',
    'model_names',
  ],
  MCPServerSimpleCreateRequest: ['tool_policies'],
  MCPToolCreateRequest: ['groups', 'is_public', 'oauth_provider_mode', 'tool_policies', 'users'],
  ModelConfigurationUpsertRequest: ['region', 'supports_reasoning', 'vendor', 'version'],
  SendSearchQueryRequest: ['hybrid_alpha', 'num_docs_fed_to_llm_selection', 'run_query_expansion'],
  SearchRequest: ['message_history', 'model', 'provider', 'skip_query_expansion'],
  TestLLMRequest: [
    'default_model_name',
    'fast_default_model_name',
    'groups',
    'is_auto_mode',
    'is_public',
    'model_configurations',
    'name',
    'personas',
  ],
  TextSection: ['type', 'csv_file_id'],
}

const fieldsBySchema = new Map(Object.entries(COMPATIBILITY_FIELDS).map(([name, fields]) => [name, new Set(fields)]))

export const isCompatibilityField = (schema: string | undefined, field: string): boolean =>
  schema !== undefined && fieldsBySchema.get(schema)?.has(field) === true

export const compatibilitySchemas = (): string[] => [...fieldsBySchema.keys()]
