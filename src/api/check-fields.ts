// Config and credential of a source that is pulled are of its connector: what does not fit is 422 at its place. What is
// missing may still come: the association asks for it.
import type { z } from 'zod'
import { RequestInvalid } from './error-answer.ts'
import type { Services } from './services.ts'
import { validationErrors } from './validation.ts'

type Needs = { puller: Pick<Services['puller'], 'connectorOf'> }

export function checkFields(
  { puller }: Needs,
  { source, connector_specific_config }: { source: string; connector_specific_config: unknown },
): void {
  const connector = puller.connectorOf(source)
  if (connector !== undefined) check(connector.config, connector_specific_config, 'connector_specific_config')
}

export function checkCredentialFields(
  { puller }: Needs,
  { source, credential_json }: { source: string; credential_json: unknown },
): void {
  const schema = puller.connectorOf(source)?.credential
  if (schema !== undefined && schema !== null) check(schema, credential_json, 'credential_json')
}

function check(schema: z.ZodType, value: unknown, field: string): void {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return
  const errors = validationErrors(result.error, 'body').filter((it) => it.type !== 'missing')
  if (errors.length === 0) return
  throw new RequestInvalid(
    errors.map(({ loc: [root = 'body', ...rest], ...it }) => ({ ...it, loc: [root, field, ...rest] })),
  )
}
