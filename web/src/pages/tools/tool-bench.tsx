// The bench: one operation with chosen arguments, the exact request, and what the server answers.
import { Button, NativeSelect } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { tryTool } from '../../../../src/client/operations.ts'
import type {
  CallableToolOperation,
  ToolFailure,
  ToolSnapshot,
  ToolTryRequest,
} from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import type { Values } from '../../parts/schema-form/fields.ts'
import { SchemaForm } from '../../parts/schema-form/schema-form.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { argumentsOf, benchFieldsOf, valuesOfArguments } from './bench-fields.ts'
import { BenchError, BenchResult } from './bench-result.tsx'
import { ToolFailures } from './tool-failures.tsx'
import { failuresQuery, operationsQuery } from './tools-queries.ts'

/** Arguments are named as the definition names them. */
const NO_TEXTS = { label: (name: string) => name, help: () => null, choice: (_: string, value: string) => value }

export function ToolBench({ tool }: { tool: ToolSnapshot }) {
  const t = textsOf('admin.tools.bench')
  const queryClient = useQueryClient()
  const bench = useRef<HTMLElement>(null)
  const operations = useQuery(operationsQuery(tool.id))
  const [chosen, setChosen] = useState('')
  const [values, setValues] = useState<Values>({})
  const attempt = useMutation({
    mutationFn: (body: ToolTryRequest) => tryTool(api, { tool_id: tool.id, body }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: failuresQuery(tool.id).queryKey }),
  })
  const all = operations.data ?? []
  const operation = all.find((it) => it.raw_name === chosen) ?? all[0]
  const show = (failure: ToolFailure) => {
    const failed = all.find((it) => it.raw_name === failure.operation || it.name === failure.operation)
    if (failed !== undefined) {
      setChosen(failed.raw_name)
      setValues(valuesOfArguments(benchFieldsOf(failed.arguments), failure.arguments))
    }
    attempt.reset()
    bench.current?.focus()
  }
  return (
    <>
      <section className="card card-pad" aria-labelledby="bench" tabIndex={-1} ref={bench}>
        <h2 id="bench">{t('title')}</h2>
        <p className="dimmed">{t('help')}</p>
        {operations.isError && <ErrorAlert error={operations.error} retry={() => void operations.refetch()} />}
        {operations.isPending && <LoadingSkeleton lines={4} />}
        {operation !== undefined && (
          <div className="tool-bench">
            <BenchForm
              operations={all}
              operation={operation}
              values={values}
              isBusy={attempt.isPending}
              onChoose={(name) => {
                setChosen(name)
                setValues({})
                attempt.reset()
              }}
              onChange={setValues}
              onTry={(args, run) => attempt.mutate({ operation: operation.raw_name, arguments: args, run })}
            />
            <div role="status">
              {attempt.isError && (
                <BenchError
                  tool={tool}
                  error={attempt.error}
                  retry={() => attempt.variables !== undefined && attempt.mutate(attempt.variables)}
                />
              )}
              {attempt.data !== undefined && <BenchResult result={attempt.data} />}
              {attempt.isIdle && <p className="dimmed">{t('empty')}</p>}
            </div>
          </div>
        )}
      </section>
      <ToolFailures
        id={tool.id}
        isBusy={attempt.isPending}
        onShow={show}
        onReplay={(failure) => {
          show(failure)
          attempt.mutate({ failure_id: failure.id, run: true })
        }}
      />
    </>
  )
}

interface BenchFormProps {
  operations: readonly CallableToolOperation[]
  operation: CallableToolOperation
  values: Values
  isBusy: boolean
  onChoose: (rawName: string) => void
  onChange: (values: Values) => void
  onTry: (args: Record<string, unknown>, run: boolean) => void
}

function BenchForm({ operations, operation, values, isBusy, onChoose, onChange, onTry }: BenchFormProps) {
  const t = textsOf('admin.tools.bench')
  const fields = benchFieldsOf(operation.arguments)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onTry(argumentsOf(fields, values), true)
  }
  return (
    <form className="stack" onSubmit={submit}>
      <NativeSelect
        label={t('operation')}
        description={<bdi>{operation.summary}</bdi>}
        value={operation.raw_name}
        onChange={(event) => onChoose(event.currentTarget.value)}
        data={operations.map((it) => ({ value: it.raw_name, label: `${it.raw_name} (${it.method} ${it.path})` }))}
      />
      {fields.length === 0 ? (
        <p className="dimmed">{t('no_arguments')}</p>
      ) : (
        <SchemaForm
          fields={fields.map((it) => it.field)}
          values={values}
          onChange={onChange}
          errors={{}}
          texts={NO_TEXTS}
          isFlat
        />
      )}
      <div className="row">
        <Button type="submit" loading={isBusy}>
          {t('run')}
        </Button>
        <Button variant="default" disabled={isBusy} onClick={() => onTry(argumentsOf(fields, values), false)}>
          {t('show_request')}
        </Button>
      </div>
      <p className="small dimmed">{t('run_note', { method: operation.method })}</p>
    </form>
  )
}
