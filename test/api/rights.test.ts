// Role × route: calls every operation of the running program with every kind of key, and compares with a reviewed table.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { rightsAmong, start } from './setup.ts'

const { ask, ok, makeKey, alterRecord } = await start()

const SUBJECTS: Record<string, { role: string; scopes?: string[] }> = {
  admin: { role: 'admin' },
  global_curator: { role: 'global_curator' },
  curator: { role: 'curator' },
  basic: { role: 'basic' },
  limited: { role: 'limited' },
  'admin:admin': { role: 'admin', scopes: ['admin'] },
  'admin:search': { role: 'admin', scopes: ['search'] },
  'admin:ingest': { role: 'admin', scopes: ['ingest'] },
  'curator:admin': { role: 'curator', scopes: ['admin'] },
  'curator:connectors': { role: 'curator', scopes: ['connectors'] },
  'curator:ingest': { role: 'curator', scopes: ['ingest'] },
  'curator:tools': { role: 'curator', scopes: ['tools'] },
  'basic:admin': { role: 'basic', scopes: ['admin'] },
  'basic:connectors': { role: 'basic', scopes: ['connectors'] },
  'basic:ingest': { role: 'basic', scopes: ['ingest'] },
  'basic:search': { role: 'basic', scopes: ['search'] },
  'basic:chat': { role: 'basic', scopes: ['chat'] },
  'basic:tools': { role: 'basic', scopes: ['tools'] },
  'limited:admin': { role: 'limited', scopes: ['admin'] },
  'limited:connectors': { role: 'limited', scopes: ['connectors'] },
  'limited:ingest': { role: 'limited', scopes: ['ingest'] },
  'limited:search': { role: 'limited', scopes: ['search'] },
  'limited:chat': { role: 'limited', scopes: ['chat'] },
  'limited:metrics': { role: 'limited', scopes: ['metrics'] },
  'curator:metrics': { role: 'curator', scopes: ['metrics'] },
  'limited:ingest+search': { role: 'limited', scopes: ['ingest', 'search'] },
}

/** Tokens of such a key. */
const PATS: Record<string, { owner: string; scopes?: string[] }> = {
  'admin>all': { owner: 'admin' },
  'admin>read:search': { owner: 'admin', scopes: ['read:search'] },
  'curator>all': { owner: 'curator' },
  'curator>all-scopes': { owner: 'curator', scopes: ['read:search', 'read:chat', 'write:chat'] },
  'basic>all': { owner: 'basic' },
  'basic>read:search': { owner: 'basic', scopes: ['read:search'] },
  'basic>read:chat': { owner: 'basic', scopes: ['read:chat'] },
  'basic>write:chat': { owner: 'basic', scopes: ['write:chat'] },
}

const ADMIN = 'admin admin:admin admin>all'
/** Acts that may outlive a token need a key. */
const ADMIN_KEY = 'admin admin:admin'
const INGEST =
  'admin global_curator curator admin:admin admin:ingest curator:admin curator:ingest basic:ingest limited:ingest admin>all curator>all'
const CONNECTORS = 'admin global_curator curator admin:admin curator:admin curator:connectors admin>all curator>all'
/** Curators of a group, for the objects of their groups. */
const CURATED = `${CONNECTORS} curating`
const SEARCH =
  'admin global_curator curator basic admin:admin admin:search curator:admin basic:admin basic:search basic:chat limited:search limited:chat admin>all admin>read:search curator>all curator>all-scopes basic>all basic>read:search'
const TOOLS =
  'admin global_curator curator basic admin:admin curator:admin curator:tools basic:admin basic:tools admin>all curator>all basic>all'
const CHAT =
  'admin global_curator curator basic admin:admin curator:admin basic:admin basic:chat limited:chat admin>all curator>all curator>all-scopes basic>all basic>read:chat basic>write:chat'
const ACCOUNTS = `${TOOLS} basic:chat limited:chat curator>all-scopes basic>write:chat`
const TALK = CHAT.replace(' basic>read:chat', '')
/** The rights `tools` or `chat`. */
const USES_TOOLS = `${TOOLS} curator>all-scopes basic:chat limited:chat basic>write:chat`
const FILES = `${INGEST} basic basic:admin curator:connectors basic:connectors basic:chat limited:chat basic>all`
const TOKENS = 'admin global_curator curator basic admin:admin curator:admin basic:admin'
const METRICS = 'admin admin:admin limited:metrics admin>all'
const BOTH = 'limited:ingest+search'

/** Permitted kinds of keys; expired ones have no rights. `everybody` needs no key, `anybody` any key. */
const MAY: Record<string, string> = {
  'POST /service-api/ingestion': `${INGEST} ${BOTH}`,
  'GET /service-api/ingestion/{document_id}': `${INGEST} ${BOTH}`,
  'DELETE /service-api/ingestion/{document_id}': `${INGEST} ${BOTH}`,
  'GET /service-api/receipts': `${INGEST} ${BOTH}`,
  'GET /service-api/receipts/csv': `${INGEST} ${BOTH}`,
  'GET /manage/admin/document': `${INGEST} ${BOTH}`,
  'GET /manage/admin/document/sections': `${INGEST} ${BOTH}`,
  'GET /manage/admin/document/chunks': `${INGEST} ${BOTH}`,
  'GET /manage/admin/document/readers': ADMIN,
  'POST /manage/admin/doc-hidden': CONNECTORS,
  'POST /service-api/ingestion/batch': `${INGEST} ${BOTH}`,
  'POST /service-api/ingestion/retry': `${INGEST} ${BOTH}`,
  'GET /service-api/trash': `${INGEST} ${BOTH}`,
  'POST /service-api/trash/restore': `${INGEST} ${BOTH}`,
  'POST /service-api/trash/empty': `${INGEST} ${BOTH}`,
  'POST /search': `${SEARCH} ${BOTH}`,
  'POST /search/suggest': `${SEARCH} ${BOTH}`,
  'GET /search/suggested': `${SEARCH} ${BOTH}`,
  'GET /search/outline': `${SEARCH} ${BOTH}`,
  'GET /document/original': `${SEARCH} ${BOTH}`,
  'GET /document/owned': `${SEARCH} ${BOTH}`,
  'POST /document/verify': TOKENS,
  'GET /admin/stale-documents': CURATED,
  'GET /document/text': `${SEARCH} ${BOTH}`,
  'GET /query/valid-tags': `${SEARCH} ${BOTH}`,
  'GET /search/sources': `${SEARCH} ${BOTH}`,
  'POST /search/send-search-message': `${SEARCH} ${BOTH}`,
  'POST /mcp': `${SEARCH} basic>write:chat ${BOTH}`,
  'POST /admin/mcp/server': TOOLS,
  'PATCH /admin/mcp/server/{server_id}': TOOLS,
  'DELETE /admin/mcp/server/{server_id}': TOOLS,
  'POST /admin/mcp/servers/create': TOOLS,
  'POST /admin/mcp/servers/update': TOOLS,
  'PATCH /admin/mcp/server/{server_id}/status': TOOLS,
  'GET /admin/mcp/servers': TOOLS,
  'GET /admin/mcp/servers/{server_id}': TOOLS,
  'GET /admin/mcp/server/{server_id}/tools': TOOLS,
  'GET /admin/mcp/server/{server_id}/tools/snapshots': TOOLS,
  'GET /admin/mcp/server/{server_id}/db-tools': TOOLS,
  'GET /admin/mcp/tools': TOOLS,
  'GET /mcp/servers': USES_TOOLS,
  'GET /mcp/servers/persona/{persona_id}': USES_TOOLS,
  'GET /mcp/server/{server_id}/tools': USES_TOOLS,
  'POST /mcp/user-credentials': USES_TOOLS,
  'POST /mcp/oauth/connect': USES_TOOLS,
  'POST /mcp/oauth/callback': USES_TOOLS,
  'DELETE /search/recent': `${SEARCH} ${BOTH}`,
  'DELETE /search/feedback': `${SEARCH} ${BOTH}`,
  'POST /search/feedback': `${SEARCH} ${BOTH}`,
  'PUT /admin/relevance/judgements': CONNECTORS,
  'GET /admin/relevance/judgements': CONNECTORS,
  'GET /admin/relevance/judgements/csv': CONNECTORS,
  'DELETE /admin/relevance/judgements/{judgement_id}': CONNECTORS,
  'POST /admin/relevance/replay': ADMIN,
  'GET /admin/relevance/queries': ADMIN,
  'GET /admin/relevance/queries/csv': ADMIN,
  'POST /admin/search': ADMIN,
  'GET /admin/ranking': ADMIN,
  'GET /admin/search/why': ADMIN,
  'GET /admin/access': ADMIN,
  'POST /admin/access/search-as': ADMIN_KEY,
  'GET /admin/access/report': ADMIN,
  'POST /admin/access/report': ADMIN_KEY,
  'GET /admin/screen': CONNECTORS,
  'GET /admin/near-duplicates': ADMIN,
  'GET /admin/sensitive-content': ADMIN,
  'GET /admin/sensitive-content/documents': ADMIN,
  'GET /admin/sensitive-content/csv': ADMIN,
  'POST /admin/sensitive-content/release': ADMIN_KEY,
  'POST /admin/sensitive-content/dismiss': ADMIN_KEY,
  'GET /admin/screen/documents': CONNECTORS,
  'PATCH /admin/ranking': ADMIN,
  'POST /admin/ranking/preview': ADMIN,
  'POST /manage/admin/connector': CURATED,
  'PUT /manage/admin/connector/{connector_id}/credential/{credential_id}': CURATED,
  'PUT /manage/connector/{connector_id}/credential/{credential_id}': CURATED,
  'POST /manage/admin/connector/indexing-status': CURATED,
  'GET /manage/admin/credential': CURATED,
  'GET /manage/connector': CURATED,
  'GET /manage/admin/connector': CURATED,
  'GET /manage/connector/{connector_id}': CURATED,
  'PATCH /manage/admin/connector/{connector_id}': CURATED,
  'DELETE /manage/admin/connector/{connector_id}': CURATED,
  'GET /manage/admin/connector/status': CURATED,
  'GET /manage/admin/connector/sources': CURATED,
  'POST /manage/admin/connector/preview': CURATED,
  'POST /manage/admin/connector/test': CURATED,
  'POST /manage/admin/connector/run-once': CURATED,
  'POST /manage/admin/cc-pair/{cc_pair_id}/cancel': CURATED,
  'GET /manage/admin/cc-pair/{cc_pair_id}/prune': CURATED,
  'POST /manage/admin/cc-pair/{cc_pair_id}/prune': CURATED,
  'GET /manage/admin/cc-pair/{cc_pair_id}/sync-permissions': CURATED,
  'POST /manage/admin/cc-pair/{cc_pair_id}/sync-permissions': CURATED,
  'GET /manage/admin/cc-pair/{cc_pair_id}/sync-groups': CURATED,
  'POST /manage/admin/cc-pair/{cc_pair_id}/sync-groups': CURATED,
  'GET /manage/admin/cc-pair/{cc_pair_id}/get-docs-sync-status': CURATED,
  'POST /manage/admin/indexing/targeted-reindex': CURATED,
  'GET /manage/indexed-sources': `${SEARCH} ${BOTH}`,
  'GET /manage/connector-status': `${SEARCH} ${BOTH}`,
  'POST /manage/credential': CURATED,
  'GET /manage/credential': CURATED,
  'GET /manage/credential/{credential_id}': CURATED,
  'PATCH /manage/credential/{credential_id}': CURATED,
  'PUT /manage/credential/{credential_id}/allowed-origins': CURATED,
  'DELETE /manage/credential/{credential_id}': CURATED,
  'DELETE /manage/credential/force/{credential_id}': CURATED,
  'PUT /manage/admin/credential/{credential_id}': CURATED,
  'DELETE /manage/admin/credential/{credential_id}': CURATED,
  'PUT /manage/admin/credential/swap': CURATED,
  'GET /manage/admin/similar-credentials/{source}': CURATED,
  'GET /manage/admin/cc-pair/{cc_pair_id}': CURATED,
  'PUT /manage/admin/cc-pair/{cc_pair_id}/status': CURATED,
  'PUT /manage/admin/cc-pair/{cc_pair_id}/name': CURATED,
  'PUT /manage/admin/cc-pair/{cc_pair_id}/property': CURATED,
  'GET /manage/admin/cc-pair/{cc_pair_id}/last_pruned': CURATED,
  'GET /manage/admin/cc-pair/{cc_pair_id}/index-attempts': CURATED,
  'GET /manage/admin/cc-pair/{cc_pair_id}/errors': CURATED,
  'GET /manage/admin/cc-pair/{cc_pair_id}/skipped-documents': CURATED,
  'POST /manage/admin/deletion-attempt': CURATED,
  'GET /manage/admin/connector/indexing-status/csv': CURATED,
  'PUT /manage/admin/cc-pair/{cc_pair_id}/access': CURATED,
  'GET /manage/admin/cc-pair/{cc_pair_id}/deletion': CURATED,
  'GET /manage/admin/cc-pair/{cc_pair_id}/missing-documents': CURATED,
  'GET /manage/admin/cc-pair/{cc_pair_id}/index-attempts/{index_attempt_id}/log': CURATED,
  'GET /service-api/connector-docs/{cc_pair_id}': `${INGEST} ${BOTH}`,
  'GET /service-api/ingestion': `${INGEST} ${BOTH}`,
  'POST /manage/admin/document-set': CURATED,
  'PATCH /manage/admin/document-set': CURATED,
  'DELETE /manage/admin/document-set/{document_set_id}': CURATED,
  'GET /manage/document-set': `${SEARCH} ${BOTH}`,
  'POST /admin/tool/custom': TOOLS,
  'PUT /admin/tool/custom/{tool_id}': TOOLS,
  'DELETE /admin/tool/custom/{tool_id}': TOOLS,
  'POST /admin/tool/custom/validate': TOOLS,
  'PATCH /admin/tool/status': TOOLS,
  'POST /admin/tool/{tool_id}/try': TOOLS,
  'GET /admin/tool/{tool_id}/failures': TOOLS,
  'POST /admin/tool/{tool_id}/diff': TOOLS,
  'GET /admin/tool/{tool_id}/operations': TOOLS,
  'POST /admin/tool/{tool_id}/passthrough-grant': ADMIN_KEY,
  'DELETE /admin/tool/{tool_id}/passthrough-grant': ADMIN,
  'POST /admin/mcp/server/{server_id}/passthrough-grant': ADMIN_KEY,
  'DELETE /admin/mcp/server/{server_id}/passthrough-grant': ADMIN,
  'GET /user/passthrough-consent': ACCOUNTS,
  'PUT /user/passthrough-consent': ACCOUNTS,
  'DELETE /user/passthrough-consent/{consent_id}': ACCOUNTS,
  'POST /admin/oauth-config/create': TOOLS,
  'GET /admin/oauth-config': TOOLS,
  'GET /admin/oauth-config/{oauth_config_id}': TOOLS,
  'PUT /admin/oauth-config/{oauth_config_id}': TOOLS,
  'DELETE /admin/oauth-config/{oauth_config_id}': TOOLS,
  'GET /admin/oauth-config/{oauth_config_id}/connections': ADMIN,
  'POST /oauth-config/initiate': ACCOUNTS,
  'POST /oauth-config/callback': ACCOUNTS,
  'DELETE /oauth-config/{oauth_config_id}/token': ACCOUNTS,
  'GET /user-oauth-token/status': ACCOUNTS,
  'GET /tool': TOOLS,
  'GET /tool/openapi': TOOLS,
  'GET /tool/{tool_id}': TOOLS,
  'GET /persona': CHAT,
  'GET /persona/labels': CHAT,
  'GET /persona/{persona_id}': CHAT,
  'GET /admin/llm/provider': ADMIN,
  'PUT /admin/llm/provider': ADMIN_KEY,
  'DELETE /admin/llm/provider/{provider_id}': ADMIN,
  'POST /admin/llm/default': ADMIN,
  'POST /admin/llm/default-vision': ADMIN,
  'DELETE /admin/llm/default-vision': ADMIN,
  'POST /admin/llm/default-chat-naming': ADMIN,
  'DELETE /admin/llm/default-chat-naming': ADMIN,
  'POST /admin/llm/test': ADMIN,
  'POST /admin/llm/available-models': ADMIN,
  'POST /admin/llm/test/default': ADMIN,
  'GET /admin/llm/built-in/options': ADMIN,
  'GET /admin/llm/usage': ADMIN,
  'GET /admin/llm/usage/csv': ADMIN,
  'GET /admin/removed-citations': ADMIN,
  'GET /admin/overview': ADMIN,
  'GET /admin/overview/series': ADMIN,
  'GET /admin/limits': ADMIN,
  'POST /admin/limits': ADMIN_KEY,
  'PUT /admin/limits/{limit_id}': ADMIN_KEY,
  'DELETE /admin/limits/{limit_id}': ADMIN_KEY,
  'GET /admin/limits/usage': ADMIN,
  'GET /admin/token-rate-limits/global': ADMIN,
  'POST /admin/token-rate-limits/global': ADMIN_KEY,
  'GET /admin/token-rate-limits/users': ADMIN,
  'POST /admin/token-rate-limits/users': ADMIN_KEY,
  'GET /admin/token-rate-limits/user-group/{group_id}': ADMIN,
  'POST /admin/token-rate-limits/user-group/{group_id}': ADMIN_KEY,
  'GET /admin/token-rate-limits/user-groups': ADMIN,
  'PUT /admin/token-rate-limits/rate-limit/{token_rate_limit_id}': ADMIN_KEY,
  'DELETE /admin/token-rate-limits/rate-limit/{token_rate_limit_id}': ADMIN_KEY,
  'GET /llm/provider': CHAT,
  'GET /llm/persona/{persona_id}/providers': CHAT,
  'GET /llm/usage': CHAT,
  'POST /persona': TALK,
  'PATCH /persona/{persona_id}': TALK,
  'DELETE /persona/{persona_id}': TALK,
  'GET /input_prompt': TALK,
  'POST /input_prompt': TALK,
  'PATCH /input_prompt/{input_prompt_id}': TALK,
  'DELETE /input_prompt/{input_prompt_id}': TALK,
  'PATCH /persona/{persona_id}/share': TALK,
  'PATCH /persona/{persona_id}/public': TALK,
  'GET /agents': CHAT,
  'GET /admin/agents': ADMIN,
  'GET /admin/persona': ADMIN,
  'PATCH /admin/persona/{persona_id}/listed': ADMIN,
  'PATCH /admin/persona/{persona_id}/featured': ADMIN,
  'PATCH /admin/persona/{persona_id}/undelete': ADMIN,
  'POST /chat/send-chat-message': TALK,
  'GET /chat/chat-session/{chat_session_id}/resume-stream': CHAT,
  'POST /chat/stop-chat-session/{chat_session_id}': TALK,
  'POST /chat/confirm-tool-call': TALK,
  'POST /chat/create-chat-session': TALK,
  'GET /chat/get-user-chat-sessions': CHAT,
  'GET /chat/get-chat-session/{chat_session_id}': CHAT,
  'PUT /chat/rename-chat-session': TALK,
  'PATCH /chat/chat-session/{chat_session_id}': TALK,
  'DELETE /chat/delete-chat-session/{chat_session_id}': TALK,
  'DELETE /chat/delete-all-chat-sessions': TALK,
  'PUT /chat/update-chat-session-model': TALK,
  'PUT /chat/update-chat-session-temperature': TALK,
  'PUT /chat/update-chat-session-reasoning': TALK,
  'GET /chat/search': CHAT,
  'GET /chat/chat-session/{chat_session_id}/readers': CHAT,
  'PUT /chat/chat-session/{chat_session_id}/readers': TALK,
  'GET /chat/shared-sessions': CHAT,
  'GET /user/projects': CHAT,
  'POST /user/projects/create': TALK,
  'GET /user/projects/{project_id}': CHAT,
  'PATCH /user/projects/{project_id}': TALK,
  'DELETE /user/projects/{project_id}': TALK,
  'GET /user/projects/{project_id}/instructions': CHAT,
  'POST /user/projects/{project_id}/instructions': TALK,
  'GET /user/projects/files/{project_id}': CHAT,
  'POST /user/projects/{project_id}/files/{file_id}': TALK,
  'DELETE /user/projects/{project_id}/files/{file_id}': TALK,
  'POST /user/projects/{project_id}/move_chat_session': TALK,
  'POST /user/projects/remove_chat_session': TALK,
  'GET /user/files/recent': `${FILES} ${BOTH}`,
  'GET /chat/max-selected-document-tokens': CHAT,
  'GET /chat/available-context-tokens/{chat_session_id}': CHAT,
  'POST /chat/create-chat-message-feedback': TALK,
  'DELETE /chat/remove-chat-message-feedback': TALK,
  'PUT /chat/set-message-as-latest': TALK,
  'PUT /chat/set-preferred-response': TALK,
  'POST /user/file/upload': `${FILES} ${BOTH}`,
  'POST /user/projects/file/upload': `${FILES} ${BOTH}`,
  'GET /user/projects/file/{file_id}': `${FILES} ${BOTH}`,
  'DELETE /user/projects/file/{file_id}': `${FILES} ${BOTH}`,
  'POST /user/projects/file/statuses': `${FILES} ${BOTH}`,
  'GET /chat/file/{file_id}': `${FILES} ${BOTH}`,
  'POST /admin/persona/upload-image': `${FILES} ${BOTH}`,
  'POST /manage/admin/connector/file/upload': CURATED,
  'GET /manage/admin/connector/{connector_id}/files': CURATED,
  'POST /manage/admin/connector/{connector_id}/files/update': CURATED,
  'GET /admin/alerts': CURATED,
  'PUT /admin/alerts/{alert_id}/dismissal': CURATED,
  'DELETE /admin/alerts/{alert_id}/dismissal': CURATED,
  'POST /admin/webhook': ADMIN_KEY,
  'GET /admin/webhook': ADMIN,
  'PATCH /admin/webhook/{webhook_id}': ADMIN_KEY,
  'DELETE /admin/webhook/{webhook_id}': ADMIN,
  'POST /admin/webhook/{webhook_id}/test': ADMIN,
  'GET /admin/webhook/{webhook_id}/deliveries': ADMIN,
  'GET /admin/api-key': ADMIN,
  'POST /admin/api-key': ADMIN_KEY,
  'PATCH /admin/api-key/{api_key_id}': ADMIN_KEY,
  'POST /admin/api-key/{api_key_id}/regenerate': ADMIN_KEY,
  'DELETE /admin/api-key/{api_key_id}': ADMIN_KEY,
  'GET /user/pats': TOKENS,
  'POST /user/pats': TOKENS,
  'GET /user/pats/scopes': TOKENS,
  'DELETE /user/pats/{token_id}': TOKENS,
  'GET /settings': 'anybody',
  'GET /admin/settings': ADMIN,
  'PATCH /admin/settings': ADMIN_KEY,
  'PUT /admin/settings': ADMIN_KEY,
  'GET /admin/configuration': ADMIN,
  'GET /admin/settings/retention': ADMIN,
  'GET /admin/egress/approval': ADMIN,
  'POST /admin/egress/approval': ADMIN_KEY,
  'DELETE /admin/egress/approval/{approval_id}': ADMIN,
  'GET /admin/egress/refusal': ADMIN,
  'POST /admin/egress/check': ADMIN,
  'GET /admin/transcription': ADMIN,
  'PUT /admin/transcription': ADMIN_KEY,
  'DELETE /admin/transcription': ADMIN_KEY,
  'POST /admin/transcription/retry': ADMIN_KEY,
  'POST /admin/transcription/reread': ADMIN_KEY,
  'GET /admin/captions': ADMIN,
  'PUT /admin/captions': ADMIN_KEY,
  'DELETE /admin/captions': ADMIN_KEY,
  'POST /admin/captions/retry': ADMIN_KEY,
  'GET /admin/recognition': ADMIN,
  'POST /admin/recognition/retry': ADMIN_KEY,
  'POST /admin/recognition/reread': ADMIN_KEY,
  'GET /admin/secret-key': ADMIN,
  'POST /admin/secret-key/rotate': ADMIN_KEY,
  'DELETE /admin/secret-key/{kid}': ADMIN_KEY,
  'GET /admin/backup': ADMIN,
  'POST /admin/backup': ADMIN_KEY,
  'POST /admin/backup/{backup_id}/download': ADMIN_KEY,
  'GET /admin/backup/{backup_id}/file': ADMIN,
  'DELETE /admin/backup/{backup_id}': ADMIN_KEY,
  'GET /admin/audit': ADMIN,
  'GET /admin/chat-session-history': ADMIN,
  'GET /admin/chat-session-history/{chat_session_id}': ADMIN,
  'POST /admin/query-history/start-export': ADMIN,
  'GET /admin/query-history/export-status': ADMIN,
  'GET /admin/query-history/download': ADMIN,
  'GET /admin/query-history-csv': ADMIN,
  'GET /admin/query-history/list': ADMIN,
  'GET /admin/embedding': ADMIN,
  'GET /admin/embedding/embedding-provider': ADMIN,
  'PUT /admin/embedding/embedding-provider': ADMIN_KEY,
  'GET /search-settings/get-current-search-settings': `${SEARCH} ${BOTH}`,
  'GET /search-settings/get-secondary-search-settings': `${SEARCH} ${BOTH}`,
  'GET /search-settings/get-all-search-settings': `${SEARCH} ${BOTH}`,
  'GET /admin/audit/csv': ADMIN,
  'GET /admin/audit/ndjson': ADMIN,
  'GET /admin/audit/check': ADMIN,
  'GET /admin/person/{email}/export': ADMIN,
  'DELETE /admin/person/{email}': ADMIN_KEY,
  'GET /manage/users/accepted': ADMIN,
  'GET /manage/users/accepted/all': ADMIN,
  'GET /manage/users/counts': ADMIN,
  'GET /users': `${SEARCH} ${BOTH}`,
  'GET /manage/get-user-role': 'anybody',
  'GET /manage/users': ADMIN,
  'GET /manage/admin/users/csv': ADMIN,
  'POST /manage/admin/users/csv': ADMIN_KEY,
  'PATCH /manage/set-user-role': ADMIN_KEY,
  'DELETE /manage/admin/delete-user': ADMIN_KEY,
  'PATCH /manage/admin/users/{user_id}': ADMIN_KEY,
  'GET /user/personalization': TOKENS,
  'PATCH /user/personalization': TOKENS,
  'PATCH /user/preferences': TOKENS,
  'GET /user/data': TOKENS,
  'PATCH /manage/admin/deactivate-user': ADMIN_KEY,
  'PATCH /manage/admin/activate-user': ADMIN_KEY,
  'GET /manage/admin/user-group': `${ADMIN} curating`,
  'GET /manage/user-groups/minimal': `${SEARCH} ${BOTH}`,
  'POST /manage/admin/user-group': ADMIN_KEY,
  'PATCH /manage/admin/user-group/rename': ADMIN_KEY,
  'PATCH /manage/admin/user-group/{user_group_id}': `${ADMIN_KEY} curating`,
  'DELETE /manage/admin/user-group/{user_group_id}': ADMIN_KEY,
  'POST /manage/admin/user-group/{user_group_id}/add-users': `${ADMIN_KEY} curating`,
  'GET /manage/admin/user-group/{user_group_id}': `${ADMIN} curating`,
  'POST /manage/admin/user-group/{user_group_id}/remove-users': `${ADMIN_KEY} curating`,
  'POST /manage/admin/user-group/{user_group_id}/set-curator': ADMIN_KEY,
  'GET /admin/enterprise-settings/scim/token': ADMIN,
  'POST /admin/enterprise-settings/scim/token': ADMIN_KEY,
  'DELETE /admin/enterprise-settings/scim/token': ADMIN_KEY,
  'GET /admin/scim/status': ADMIN,
  'POST /admin/scim/link': ADMIN_KEY,
  'GET /admin/scim/held-removals': ADMIN,
  'POST /admin/scim/held-removals/{removal_id}/approve': ADMIN_KEY,
  'POST /admin/scim/held-removals/{removal_id}/discard': ADMIN_KEY,
  'GET /auth/type': 'everybody',
  'GET /auth/providers': 'everybody',
  'GET /auth/oidc/authorize': 'everybody',
  'POST /auth/oidc/logout': 'anybody',
  'POST /auth/oidc/backchannel-logout/{slug}': 'everybody',
  'GET /admin/sign-in/providers': ADMIN,
  'POST /admin/sign-in/providers': ADMIN_KEY,
  'GET /admin/sign-in/providers/{provider_id}': ADMIN,
  'PATCH /admin/sign-in/providers/{provider_id}': ADMIN_KEY,
  'DELETE /admin/sign-in/providers/{provider_id}': ADMIN_KEY,
  'POST /admin/sign-in/providers/{provider_id}/check': ADMIN_KEY,
  'POST /admin/sign-in/providers/{provider_id}/test': ADMIN_KEY,
  'GET /admin/sign-in/providers/{provider_id}/test': ADMIN,
  'DELETE /admin/sign-in/providers/{provider_id}/people/{user_id}': ADMIN_KEY,
  'POST /admin/sign-in/providers/{provider_id}/ldap-test': ADMIN_KEY,
  'POST /auth/ldap/login': 'everybody',
  'GET /auth/saml/{slug}/authorize': 'everybody',
  'GET /auth/saml/{slug}/metadata': 'everybody',
  'POST /admin/sign-in/saml-metadata': ADMIN_KEY,
  'POST /auth/login': 'everybody',
  'POST /auth/link': 'everybody',
  'POST /auth/register': 'everybody',
  'POST /auth/forgot-password': 'everybody',
  'POST /auth/reset-password': 'everybody',
  'POST /auth/registration-link': 'everybody',
  'GET /admin/sign-in/registration': ADMIN,
  'PUT /admin/sign-in/registration': ADMIN_KEY,
  'POST /auth/logout': 'anybody',
  'POST /auth/refresh': 'anybody',
  'GET /auth/sessions': TOKENS,
  'DELETE /auth/sessions': TOKENS,
  'DELETE /auth/sessions/{session_id}': TOKENS,
  'POST /password/change-password': TOKENS,
  'GET /manage/admin/users/{user_id}/sessions': ADMIN,
  'DELETE /manage/admin/users/{user_id}/sessions': ADMIN_KEY,
  'DELETE /manage/admin/users/{user_id}/sessions/{session_id}': ADMIN_KEY,
  'GET /manage/admin/users/{user_id}': ADMIN,
  'PUT /manage/admin/users': ADMIN_KEY,
  'GET /manage/users/invited': ADMIN,
  'PATCH /manage/admin/remove-invited-user': ADMIN_KEY,
  'POST /manage/admin/users/password-link': ADMIN_KEY,
  'POST /manage/admin/first-admin-link': ADMIN_KEY,
  // A key or a token gets 409: it must not change how its person signs in.
  'GET /auth/second-factor': 'anybody',
  'POST /auth/second-factor': 'anybody',
  'POST /auth/second-factor/confirm': 'anybody',
  'POST /auth/second-factor/recovery-codes': 'anybody',
  'POST /auth/second-factor/disable': 'anybody',
  'DELETE /manage/admin/users/{user_id}/second-factors': ADMIN_KEY,
  'GET /auth/passkeys': 'anybody',
  'POST /auth/passkeys': 'anybody',
  'POST /auth/passkeys/options': 'anybody',
  'DELETE /auth/passkeys/{passkey_id}': 'anybody',
  'POST /auth/passkey/options': 'everybody',
  'POST /auth/passkey/login': 'everybody',
  'POST /auth/session': 'everybody',
  'DELETE /auth/session': 'anybody',
  'GET /me': 'anybody',
  'GET /me/permissions': 'anybody',
  'GET /health': 'everybody',
  'POST /admin/reindex': ADMIN,
  'GET /admin/reindex': ADMIN,
  'DELETE /admin/reindex': ADMIN,
  'GET /admin/reindex/estimate': ADMIN,
  'GET /health/ready': 'everybody',
  'GET /version': 'everybody',
  'GET /metrics': METRICS,
  // Not in the published description.
  'GET /openapi.json': 'everybody',
  'GET /docs': 'everybody',
  'GET /docs/style.css': 'everybody',
  'GET /docs/script.js': 'everybody',
}
const HIDDEN = ['GET /openapi.json', 'GET /docs', 'GET /docs/style.css', 'GET /docs/script.js']

const keys: Record<string, string | null> = { nobody: null, 'a bad key': 'pharos_not_a_key_at_all' }
before(async () => {
  for (const [subject, body] of Object.entries(SUBJECTS)) keys[subject] = await makeKey(body)
  for (const [subject, { owner, scopes }] of Object.entries(PATS)) {
    const { token } = await ok('POST', '/user/pats', { key: keys[owner]!, body: { name: subject, scopes } })
    keys[subject] = token
  }
  const ended: Record<string, string> = {}
  for (const name of ['an expired key', 'a revoked key', 'a regenerated key']) {
    ended[name] = (await ok('POST', '/admin/api-key', { body: { role: 'admin', name } })).api_key_id
    keys[name] = (await ok('POST', `/admin/api-key/${ended[name]}/regenerate`)).api_key
    keys[`a token of ${name}`] = (await ok('POST', '/user/pats', { key: keys[name]!, body: { name: 'x' } })).token
  }
  await alterRecord(`update api_key set expires_at = 1 where id = ${ended['an expired key']}`)
  await ok('DELETE', `/admin/api-key/${ended['a revoked key']}`)
  await ok('POST', `/admin/api-key/${ended['a regenerated key']}/regenerate`)
})

function expected(operation: string, subject: string): 'may' | 401 | 403 {
  const may = MAY[operation]!
  if (may === 'everybody') return 'may'
  if (!(subject in SUBJECTS) && !(subject in PATS)) return 401
  return may === 'anybody' || may.split(' ').includes(subject) ? 'may' : 403
}

/** Uses unknown ids and invalid bodies, so that a permitted call changes nothing. */
const address = (path: string) => path.replace(/\{(\w+)\}/g, '999999')

async function outcome(method: string, path: string, key: string | null): Promise<'may' | 401 | 403> {
  const { status } = await ask(method, path, { key, ...(method === 'GET' ? {} : { bytes: '{}' }) })
  return status === 401 || status === 403 ? status : 'may'
}

/** A person of a role may call what a key of this role may. Curators of groups: `expectedOfCurator`. */
const PEOPLE = ['admin', 'global_curator', 'basic', 'limited'] as const
/** Unknown ids are theirs or not, so what the objects of a group decide is tested in curator-objects.test.ts. */
const CURATORS = ['curator of the group', 'curator of another group', 'curator without group'] as const

/** The rights of a basic person, those of a key that ingests, and what curating a group adds. */
function expectedOfCurator(operation: string, isCurating: boolean): 'may' | 403 {
  if (isCurating && MAY[operation]!.split(' ').includes('curating')) return 'may'
  return [expected(operation, 'basic'), expected(operation, 'curator:ingest')].includes('may') ? 'may' : 403
}

/** A global curator curates all groups. */
const expectedOfPerson = (operation: string, role: (typeof PEOPLE)[number]) =>
  role === 'global_curator' && MAY[operation]!.split(' ').includes('curating') ? 'may' : expected(operation, role)

const SUSPENDED = 'a suspended person'
/** These end the session that they come with: sign-in.test.ts. */
const ENDS_SESSION = [
  ...['DELETE /auth/session', 'DELETE /auth/sessions', 'POST /auth/logout', 'POST /auth/refresh'],
  'POST /auth/oidc/logout',
]
const cookies: Record<string, string> = {}
before(async () => {
  for (const who of [...PEOPLE, ...CURATORS, SUSPENDED]) {
    const role = who === SUSPENDED ? 'admin' : (PEOPLE.find((it) => it === who) ?? 'basic')
    const emails = [`${who.replaceAll(' ', '-')}@example.com`]
    const { invitations } = await ok('PUT', '/manage/admin/users', { body: { emails, role } })
    const token = invitations[0].link.split('#')[1]
    const body = { token, password: 'correct horse battery staple' }
    const { status, headers } = await ask('POST', '/auth/register', { key: null, body })
    assert.equal(status, 201)
    cookies[who] = String([headers['set-cookie']].flat()[0]).split(';', 1)[0]!
  }
  await alterRecord("update person set is_active = 0 where email_key = 'a-suspended-person@example.com'")
  for (const who of CURATORS) {
    const user_email = `${who.replaceAll(' ', '-')}@example.com`
    if (who === 'curator without group') {
      await ok('PATCH', '/manage/set-user-role', { body: { user_email, new_role: 'curator' } })
      continue
    }
    const { items } = await ok('GET', `/manage/users/accepted?q=${user_email}`)
    const user_ids = [items[0].id]
    const { id } = await ok('POST', '/manage/admin/user-group', { body: { name: who, user_ids } })
    const body = { user_id: user_ids[0], is_curator: true }
    await ok('POST', `/manage/admin/user-group/${id}/set-curator`, { body })
  }
})

for (const operation of Object.keys(MAY).filter((it) => !ENDS_SESSION.includes(it))) {
  test(`${operation} responds to the session of each person as to a key of their role`, async () => {
    const [method, path] = operation.split(' ') as [string, string]
    const answers: Record<string, string | number> = {}
    for (const [who, cookie] of Object.entries(cookies)) {
      const bytes = method === 'GET' ? {} : { bytes: '{}' }
      const { status } = await ask(method, address(path), { key: null, headers: { cookie }, ...bytes })
      answers[who] = status === 401 || status === 403 ? status : 'may'
    }
    const wanted: [string, string | number][] = [
      ...PEOPLE.map((role) => [role, expectedOfPerson(operation, role)] as [string, string | number]),
      ...CURATORS.map(
        (it) => [it, expectedOfCurator(operation, it !== 'curator without group')] as [string, string | number],
      ),
    ]
    assert.deepEqual(answers, { ...Object.fromEntries(wanted), [SUSPENDED]: expected(operation, 'a revoked key') })
  })
}

test('the table lists every operation of the running program', async () => {
  const { paths } = await ok('GET', '/openapi.json')
  const published = Object.entries<Record<string, unknown>>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  assert.deepEqual([...published, ...HIDDEN].sort(), Object.keys(MAY).sort())
})

test('every name of the table is a subject', () => {
  const names = new Set(Object.values(MAY).flatMap((it) => it.split(' ')))
  const unknown = [...names].filter(
    (it) => !(it in SUBJECTS) && !(it in PATS) && !['anybody', 'everybody', 'curating'].includes(it),
  )
  assert.deepEqual(unknown, [])
})

for (const operation of Object.keys(MAY)) {
  const [method, path] = operation.split(' ') as [string, string]
  const spellings = [path, `/api${path}`]
  if (path.startsWith('/service-api/')) {
    const alias = path.replace('/service-api/', '/onyx-api/')
    spellings.push(alias, `/api${alias}`)
  }
  for (const spelling of spellings) {
    test(`${method} ${spelling} responds to each key as the table says`, async () => {
      const subjects = Object.keys(keys)
      const answers = await Promise.all(subjects.map((it) => outcome(method, address(spelling), keys[it]!)))
      assert.deepEqual(
        Object.fromEntries(subjects.map((it, at) => [it, answers[at]])),
        Object.fromEntries(subjects.map((it) => [it, expected(operation, it)])),
      )
    })
  }
  if (method !== 'GET') continue
  test(`HEAD ${path} responds to each key as GET does`, async () => {
    for (const [subject, key] of Object.entries(keys)) {
      const { status, text } = await ask('HEAD', address(path), { key })
      const denied = status === 401 || status === 403 ? status : 'may'
      assert.deepEqual([subject, denied, text], [subject, expected(operation, subject), ''])
    }
  })
}

const RIGHTS: [body: { role: string; scopes?: string[] }, rights: string[]][] = [
  [
    { role: 'admin' },
    ['admin', 'chat', 'connectors', 'files', 'ingest', 'metrics', 'pats', 'read:chat', 'search', 'tools'],
  ],
  [{ role: 'curator' }, ['chat', 'connectors', 'files', 'ingest', 'pats', 'read:chat', 'search', 'tools']],
  [{ role: 'global_curator' }, ['chat', 'connectors', 'files', 'ingest', 'pats', 'read:chat', 'search', 'tools']],
  [{ role: 'basic' }, ['chat', 'files', 'pats', 'read:chat', 'search', 'tools']],
  [{ role: 'limited' }, []],
  [{ role: 'basic', scopes: ['ingest'] }, ['files', 'ingest']],
  [{ role: 'limited', scopes: ['search'] }, ['search']],
]
for (const [body, rights] of RIGHTS) {
  test(`/me and /me/permissions return the rights of ${JSON.stringify(body)}`, async () => {
    const key = await makeKey(body)
    const { effective_permissions } = await ok('GET', '/me', { key })
    assert.deepEqual(rightsAmong(effective_permissions).sort(), rights)
    assert.deepEqual(rightsAmong((await ok('GET', '/me/permissions', { key })).permissions), rights)
  })
}

for (const role of ['global_curator', 'curator', 'basic', 'limited']) {
  test(`the scope admin does not make a ${role} an administrator`, async () => {
    const key = await makeKey({ role, scopes: ['admin'] })
    assert.equal((await ask('POST', '/admin/api-key', { key, body: { role: 'admin' } })).status, 403)
  })
}

for (const [role, path] of [
  ['basic', '/manage/admin/credential'],
  ['limited', '/manage/admin/credential'],
  ['limited', '/tool/1'],
] as const) {
  test(`the scope admin does not open ${path} to a ${role} key`, async () => {
    assert.equal((await ask('GET', path, { key: await makeKey({ role, scopes: ['admin'] }) })).status, 403)
  })
}
