// Connectors before they are stored: the sources that exist, a test of a configuration, and a preview of its documents.
import { z } from 'zod'
import { accessType } from '../../../domain/connector.ts'
import { AppError } from '../../../domain/errors.ts'
import type { Subject } from '../../../domain/subject.ts'
import type { ConnectorRunner } from '../../../ingestion/pull/connector-runner.ts'
import { TEST_PROBLEMS } from '../../../ingestion/pull/test-source.ts'
import { getCredential } from '../../../store/sources/credentials.ts'
import { nullish, WITHOUT_NUL, wireInteger, wireObject, wireString } from '../../../wire/schemas.ts'
import { checkConfigUploads } from '../../checks/config-uploads.ts'
import { checkConnectorConfig } from '../../checks/connector-config.ts'
import { checkCredentialOrigins, describeCredentialUse } from '../../checks/credential-origins.ts'
import { checkConfigAddresses } from '../../checks/egress-address.ts'
import { toJsonSchema } from '../../openapi/json-schema.ts'
import { type RouteCall, type RouteServices, route } from '../../route.ts'

const connectorDefaults = { access: ['connectors', 'curate'], tag: 'Connectors' } as const
const jsonSchema = z.record(z.string(), z.unknown())

const ConnectorSource = z
  .object({
    source: z.string(),
    aliases: z.array(z.string()),
    label: z.string(),
    description: z.string(),
    config_schema: jsonSchema.describe(
      'JSON Schema of `connector_specific_config`. For forms: `x-default` is what an absent value means, `x-required` fields are needed although another name may be sent, `x-hidden` fields have no effect of their own, `writeOnly` fields are secrets.',
    ),
    credential_schema: jsonSchema
      .nullable()
      .describe('JSON Schema of `credential_json`. Null if no credential is needed (use credential 0).'),
    is_credential_optional: z.boolean(),
    supports_sync: z.boolean().describe('Whether the connector reads permissions, as access type sync requires.'),
  })
  .meta({ id: 'ConnectorSource' })

const listConnectorSourcesRoute = route({
  ...connectorDefaults,
  name: 'listConnectorSources',
  method: 'GET',
  path: '/manage/admin/connector/sources',
  summary: 'List connector sources',
  description: 'Connectors of any other source only accept pushed documents.',
  reply: z.array(ConnectorSource),
  services: ['connectorRunner'],
  handle: ({ services: { connectorRunner } }) =>
    connectorRunner.connectors.map(({ sources: [source, ...aliases], label, description, ...it }) => ({
      source,
      aliases,
      label,
      description,
      config_schema: toJsonSchema(it.config, 'input'),
      credential_schema: it.credential === null ? null : toJsonSchema(it.credential, 'input'),
      is_credential_optional: it.isCredentialOptional,
      supports_sync: it.hasAccess,
    })),
})

const metadataSchema = z.record(z.string(), z.union([z.string(), z.array(z.string())]))
const externalAccess = z
  .object({
    is_public: z.boolean(),
    external_user_emails: z.array(z.string()),
    external_user_group_ids: z.array(z.string()),
  })
  .nullable()

const ConnectorPreview = z
  .object({
    documents: z.array(
      z.object({
        document_id: z.string(),
        semantic_identifier: z.string(),
        link: z.string().nullable(),
        characters: z.int(),
        beginning: z.string(),
        metadata: metadataSchema,
        external_access: externalAccess.describe('Null if everyone who may read the pair may read the document.'),
      }),
    ),
    skipped: z.array(z.object({ document_id: z.string(), link: z.string().nullable(), reason: z.string() })),
    failures: z.array(
      z.object({
        document_id: z.string().nullable(),
        link: z.string().nullable(),
        stage: z.string(),
        message: z.string(),
      }),
    ),
    warnings: z
      .array(z.string())
      .describe('Problems with a valid configuration, such as a base URL that leads to a single page.'),
    is_complete: z.boolean().describe('Whether the preview contains everything that the connector would index.'),
    error: z.string().nullable().describe('Why the preview ended early.'),
  })
  .meta({ id: 'ConnectorPreview' })

const DraftConnector = z.object({
  source: wireString({ min: 1, max: 100, pattern: WITHOUT_NUL }),
  connector_specific_config: wireObject(),
  credential_id: nullish(wireInteger()).describe('Default: 0, the empty credential.'),
})
type Draft = z.infer<typeof DraftConnector>

const draftDefaults = {
  ...connectorDefaults,
  method: 'POST',
  errors: ['CREDENTIAL_NOT_FOUND', 'CREDENTIAL_ORIGIN_REFUSED', 'NOT_RUNNABLE'],
  services: ['db', 'secrets', 'egress', 'connectorRunner', 'sourceFacts'],
} as const
type DraftServices = RouteServices<(typeof draftDefaults.services)[number]>

const describeDraft = ({ body, services }: { body: Draft; services: DraftServices }) =>
  describeCredentialUse(services, body.credential_id ?? 0, body)

const previewConnectorRoute = route({
  ...draftDefaults,
  name: 'previewConnector',
  path: '/manage/admin/connector/preview',
  summary: 'Preview connector',
  description:
    'Returns the first 20 documents with their permissions, and the documents that would be skipped, with the reason. Nothing is stored. A credential is only sent to its allowed origins, unless the key may change it.',
  audit: { action: 'connector.preview', describeRequest: describeDraft },
  body: DraftConnector.extend({ access_type: nullish(accessType) }).meta({ id: 'ConnectorPreviewRequest' }),
  reply: ConnectorPreview,
  handle: async ({ body, services, signal, ...call }) =>
    services.connectorRunner.preview(
      await checkDraft({ body, services, signal, ...call }),
      body.access_type ?? 'public',
      signal,
    ),
})

const ConnectorTest = z
  .object({
    problem: z
      .object({
        kind: z
          .enum(TEST_PROBLEMS)
          .describe(
            '`config`: a field is wrong. `credential`: the source does not accept it. `unavailable`: no connection, or the source is overloaded. `unresolved`: the host name is unknown. `unexpected`: another kind of server answered. `timeout`: no answer within 20 seconds. `internal`: the connector failed.',
          ),
        field: z.string().nullable().describe('Path of the field in the configuration or the credential.'),
        status: z.int().nullable().describe('The HTTP status that the source answered.'),
        message: z.string(),
      })
      .nullable()
      .describe('Null if the source can be read.'),
    servers: z
      .array(z.object({ origin: z.string(), requests: z.int(), status: z.int().nullable() }))
      .describe('The servers that were called, with the HTTP status of their last answer; null without an answer.'),
    documents: z.int().nullable().describe('The number of documents, if the source reports it.'),
    duration_ms: z.int(),
  })
  .meta({ id: 'ConnectorTest' })

const testConnectorRoute = route({
  ...draftDefaults,
  name: 'testConnector',
  path: '/manage/admin/connector/test',
  summary: 'Test connector',
  description:
    'Asks the source whether the configuration and the credential work, for up to 20 seconds. A source that refuses is an answer with `problem`, not an error. Nothing is stored. A credential is only sent to its allowed origins, unless the key may change it.',
  audit: { action: 'connector.test', describeRequest: describeDraft },
  body: DraftConnector.meta({ id: 'ConnectorTestRequest' }),
  reply: ConnectorTest,
  handle: async (call) => call.services.connectorRunner.test(await checkDraft(call), call.signal),
})

type DraftCall = Pick<
  RouteCall<unknown, unknown, Draft, (typeof draftDefaults.services)[number]>,
  'body' | 'services' | 'signal' | 'warn'
> & { subject: Subject }

/** 422 names the field of an invalid configuration, and of an address that the service may not call. */
async function checkDraft({
  body,
  subject,
  services,
  signal,
  warn,
}: DraftCall): Promise<Parameters<ConnectorRunner['test']>[0]> {
  const connector = services.connectorRunner.connectorOf(body.source)
  if (connector === undefined) {
    const reason = `no connector reads "${body.source}"; its documents are pushed`
    throw new AppError('NOT_RUNNABLE', { reason })
  }
  checkConnectorConfig(services, body, warn)
  await checkConfigAddresses(services, body, { id: null, signal })
  await checkConfigUploads(services, subject, body, null)
  const credential = await getCredential(services, subject, body.credential_id ?? 0)
  const { all: allowed_origins } = checkCredentialOrigins(services, subject, credential, body)
  const { source, connector_specific_config } = body
  const { credential_json } = credential
  return { connector, source, connectorId: null, connector_specific_config, credential_json, allowed_origins }
}

export const connectorDraftRoutes = [listConnectorSourcesRoute, previewConnectorRoute, testConnectorRoute]
