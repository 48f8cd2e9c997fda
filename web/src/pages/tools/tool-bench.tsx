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
  const place = useRef<HTMLElement>(null)
  const bench = useBench(tool.id)
  const { operations, operation, values, attempt } = bench
  const show = (failure: ToolFailure) => {
    bench.fill(failure)
    place.current?.focus()
  }
  return (
    <>
      <section className="card card-pad" aria-labelledby="bench" tabIndex={-1} ref={place}>
        <h2 id="bench">{t('title')}</h2>
        <p className="dimmed">{t('help')}</p>
        {operations.isError && <ErrorAlert error={operations.error} retry={() => void operations.refetch()} />}
        {operations.isPending && <LoadingSkeleton lines={4} />}
        {operation !== undefined && (
          <div className="tool-bench">
            <BenchForm
              operations={operations.data ?? []}
              operation={operation}
              values={values}
              isBusy={attempt.isPending}
              onChoose={(rawName) => bench.choose(rawName)}
              onChange={bench.setValues}
              onTry={(args, run) => attempt.mutate({ operation: operation.raw_name, arguments: args, run })}
            />
            <div role="status">
              {attempt.isIdle && <p className="dimmed">{t('empty')}</p>}
              {attempt.isError && (
                <BenchError tool={tool} error={attempt.error} retry={() => attempt.mutate(attempt.variables)} />
              )}
              {attempt.data !== undefined && <BenchResult result={attempt.data} />}
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

/** The chosen operation, the values of its form, and the last attempt. */
function useBench(tool_id: number) {
  const queryClient = useQueryClient()
  const operations = useQuery(operationsQuery(tool_id))
  const [chosen, setChosen] = useState('')
  const [values, setValues] = useState<Values>({})
  const attempt = useMutation({
    mutationFn: (body: ToolTryRequest) => tryTool(api, { tool_id, body }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: failuresQuery(tool_id).queryKey }),
  })
  const choose = (rawName: string, chosenValues: Values = {}) => {
    setChosen(rawName)
    setValues(chosenValues)
    attempt.reset()
  }
  /** Chooses the operation and the arguments of a failed call, if the tool still has the operation. */
  const fill = (failure: ToolFailure) => {
    const failed = operations.data?.find((it) => [it.raw_name, it.name].includes(failure.operation))
    if (failed !== undefined)
      choose(failed.raw_name, valuesOfArguments(benchFieldsOf(failed.arguments), failure.arguments))
  }
  const operation = operations.data?.find((it) => it.raw_name === chosen) ?? operations.data?.[0]
  return { operations, operation, values, setValues, attempt, choose, fill }
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
