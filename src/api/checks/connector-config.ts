// Validates a config and a credential against the schemas of their connector; errors are 422 with the path of the field.
// A credential may lack fields, because the association with a connector checks it again.
import type { z } from 'zod'
import type { ConnectorRunner } from '../../ingestion/pull/connector-runner.ts'
import { InvalidRequestError } from '../http/error-response.ts'
import type { RouteCall } from '../route.ts'
import { checkUnknownFields } from '../wire/check-unknown-fields.ts'
import { mergeUnknownErrors, type ValidationError, validationErrors } from '../wire/validation.ts'

type CheckFieldsDeps = { connectorRunner: Pick<ConnectorRunner, 'connectorOf'> }
type Warn = RouteCall<unknown, unknown, unknown>['warn']

export function checkConnectorConfig(
  { connectorRunner }: CheckFieldsDeps,
  { source, connector_specific_config }: { source: string; connector_specific_config: unknown },
  warn: Warn,
): void {
  const connector = connectorRunner.connectorOf(source)
  if (connector === undefined) return
  const { config, ignoredFields } = connector
  const field = { name: 'connector_specific_config', value: connector_specific_config, ignoredFields }
  throwIfInvalid(fieldErrors(config, field, warn))
}

export function checkCredentialFields(
  { connectorRunner }: CheckFieldsDeps,
  { source, credential_json }: { source: string; credential_json: unknown },
  warn: Warn,
): void {
  const schema = connectorRunner.connectorOf(source)?.credential
  if (schema === undefined || schema === null) return
  const field = { name: 'credential_json', value: credential_json }
  throwIfInvalid(fieldErrors(schema, field, warn).filter((it) => it.type !== 'missing'))
}

interface CheckedField {
  name: string
  value: unknown
  ignoredFields?: readonly string[] | undefined
}

function fieldErrors(schema: z.ZodType, { name, value, ignoredFields }: CheckedField, warn: Warn): ValidationError[] {
  const root = ['body', name]
  const result = schema.safeParse(value, { reportInput: true })
  const errors = result.success
    ? []
    : validationErrors(result.error, 'body').map(({ loc: [, ...rest], ...it }) => ({ ...it, loc: [...root, ...rest] }))
  const unknown = checkUnknownFields({ access: 'connectors' }, { schema, input: value, root, ignoredFields })
  for (const path of unknown.ignored) warn(`${path}: unknown field, ignored`)
  return mergeUnknownErrors(errors, unknown.errors)
}

function throwIfInvalid(errors: readonly ValidationError[]): void {
  if (errors.length > 0) throw new InvalidRequestError([...errors])
}
