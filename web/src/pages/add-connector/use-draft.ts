// The connector that is being made: its configuration, its credential, and what a test and a preview of them said.
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ApiError } from '../../../../src/client/api.ts'
import { previewConnector, testConnector } from '../../../../src/client/operations.ts'
import type { ConnectorSource } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import {
  errorsAtFields,
  type Field,
  type FieldErrors,
  readFields,
  toObject,
  type Values,
} from '../../parts/schema-form/fields.ts'
import type { UploadedFile } from './upload-files.tsx'

const ROOT = 'connector_specific_config'
/** Fields of files that the upload fills. */
const FILLED_BY_UPLOAD = ['file_locations', 'file_names']

export type Draft = ReturnType<typeof useDraft>

export function useDraft(kind: ConnectorSource) {
  const fields = readFields(kind.config_schema).filter((it) => !FILLED_BY_UPLOAD.includes(it.name))
  const [values, setValues] = useState<Values>({})
  const [files, setFiles] = useState<readonly UploadedFile[]>([])
  const [credentialId, setCredentialId] = useState<number | null>(needsChoice(kind) ? null : 0)
  const [errors, setErrors] = useState<Errors>(NO_ERRORS)
  const connector_specific_config = { ...toObject(fields, values), ...filesOf(kind.source, files) }
  const body = { source: kind.source, connector_specific_config, credential_id: credentialId ?? 0 }
  const show = (error: unknown) => setErrors(errorsOf(error, fields))
  const trial = useTrial(body, () => setErrors(NO_ERRORS), show)
  /** A change makes the result of a test old. */
  const changed =
    <T>(set: (it: T) => void) =>
    (it: T) => {
      trial.stop()
      setErrors(NO_ERRORS)
      set(it)
    }
  const problem = trial.test.data?.problem ?? null
  return {
    ...{ kind, fields, values, files, credentialId, body, trial },
    setValues: changed(setValues),
    setFiles: changed(setFiles),
    setCredentialId: changed(setCredentialId),
    showErrors: show,
    others: errors.others,
    errors: problem === null ? errors.atFields : { ...fieldOf(problem, fields), ...errors.atFields },
  }
}

/** Most files need no password, and many sources read little without a credential. */
const needsChoice = ({ credential_schema, source }: ConnectorSource): boolean =>
  credential_schema !== null && source !== 'file'

interface Errors {
  atFields: FieldErrors
  /** Those that belong to no field of the configuration. */
  others: unknown
}
const NO_ERRORS: Errors = { atFields: {}, others: null }

function errorsOf(error: unknown, fields: readonly Field[]): Errors {
  if (!(error instanceof ApiError) || error.fieldErrors.length === 0) return { atFields: {}, others: error }
  const { atFields, others } = errorsAtFields(error.fieldErrors, ROOT, fields)
  return { atFields, others: others.length > 0 ? new Error(others.join(' ')) : null }
}

const fieldOf = (
  { field, message }: { field: string | null; message: string },
  fields: readonly Field[],
): FieldErrors => errorsAtFields([{ loc: (field ?? '').split('.'), msg: message }], ROOT, fields).atFields

const filesOf = (source: string, files: readonly UploadedFile[]) =>
  source === 'file' && files.length > 0
    ? { file_locations: files.map((it) => it.id), file_names: files.map((it) => it.name) }
    : {}

type Body = Parameters<typeof testConnector>[1]['body']

/** The test, and the preview that follows a good one. Both end when the person stops them or changes the form. */
function useTrial(body: Body, begin: () => void, fail: (error: unknown) => void) {
  const running = useRef(new AbortController())
  const preview = useMutation({
    mutationFn: (access_type: string) =>
      previewConnector(api, { body: { ...body, access_type }, signal: running.current.signal }),
    onError: fail,
  })
  const test = useMutation({
    mutationFn: () => testConnector(api, { body, signal: running.current.signal }),
    onError: fail,
  })
  const stop = () => {
    running.current.abort()
    running.current = new AbortController()
    test.reset()
    preview.reset()
  }
  const start = (accessType: string) => {
    stop()
    begin()
    test.mutate(undefined, {
      onSuccess: ({ problem }) => {
        if (problem === null) preview.mutate(accessType)
      },
    })
  }
  return { test, preview, start, stop, isRunning: test.isPending || preview.isPending }
}
