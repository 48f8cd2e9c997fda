// Changes the configuration of a connector: a form, then the difference, then the change. If another person changed the
// connector meanwhile, the difference to their version is shown, and nothing is overwritten unseen.
import { Alert, Button, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../../../src/client/api.ts'
import { getConnector, listConnectorSources, updateConnector } from '../../../../src/client/operations.ts'
import type { CCPairFullInfo, ConnectorSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { ConfigDifference } from './config-difference.tsx'
import {
  type ConfigField,
  type ConfigTexts,
  connectorOfTexts,
  type Difference,
  differenceOf,
  fieldsOf,
  labelOfField,
  textsOfConnector,
} from './config-values.ts'

interface Props {
  pair: CCPairFullInfo
  onClose: () => void
}

export function EditConfiguration({ pair, onClose }: Props) {
  const t = textsOf('admin.connector.config')
  const sources = useQuery({
    queryKey: ['connector-sources'],
    queryFn: ({ signal }) => listConnectorSources(api, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { source, connector_specific_config } = pair.connector
  const schema = sources.data?.find((it) => it.source === source || it.aliases.includes(source))?.config_schema
  return (
    <Dialog title={t('edit_title')} isWide onClose={onClose}>
      {sources.isPending && <LoadingSkeleton lines={6} />}
      {sources.isError && <ErrorAlert error={sources.error} retry={() => void sources.refetch()} />}
      {sources.data !== undefined && (
        <EditForm pair={pair} fields={fieldsOf(schema, connector_specific_config)} onClose={onClose} />
      )}
    </Dialog>
  )
}

const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 409

/** `base`: the connector that the person has seen. `theirs`: what another person changed since the form was opened. */
function EditForm({ pair, fields, onClose }: Props & { fields: readonly ConfigField[] }) {
  const queryClient = useQueryClient()
  const [base, setBase] = useState<ConnectorSnapshot>(pair.connector)
  const [texts, setTexts] = useState<ConfigTexts>(() => textsOfConnector(pair.connector, fields))
  const [theirs, setTheirs] = useState<readonly Difference[]>([])
  const [step, setStep] = useState<'form' | 'difference'>('form')
  const before = textsOfConnector(base, fields)
  const mine = differenceOf(before, texts)
  const save = useMutation({
    mutationFn: () => saveConnector(pair, base, connectorOfTexts(texts, fields)),
    onSuccess: async () => {
      await queryClient.invalidateQueries()
      onClose()
    },
    onError: async (error) => {
      if (!isConflict(error)) return
      const connector = await getConnector(api, { connector_id: pair.connector.id })
      const current = textsOfConnector(connector, fields)
      const changes = Object.fromEntries(mine.map(({ name, after }) => [name, after]))
      setTheirs(differenceOf(before, current))
      setTexts({ ...current, ...changes })
      setBase(connector)
    },
  })
  if (step === 'form') {
    return (
      <ConfigForm
        fields={fields}
        texts={texts}
        isChanged={mine.length > 0}
        onChange={(name, text) => setTexts({ ...texts, [name]: text })}
        onClose={onClose}
        onNext={() => setStep('difference')}
      />
    )
  }
  return (
    <Review
      mine={mine}
      theirs={theirs}
      error={isConflict(save.error) ? null : save.error}
      isPending={save.isPending}
      onBack={() => {
        save.reset()
        setStep('form')
      }}
      onSave={() => save.mutate()}
    />
  )
}

function saveConnector(
  pair: CCPairFullInfo,
  { id, name, source, indexing_start, version, ...connector }: ConnectorSnapshot,
  changed: ReturnType<typeof connectorOfTexts>,
): Promise<ConnectorSnapshot> {
  // Without `prune_freq` the service takes a week; 0 is never.
  const prune_freq = changed.prune_freq ?? 0
  const access_type = ACCESS_TYPES.find((it) => it === pair.access_type) ?? 'private'
  const input_type = INPUT_TYPES.find((it) => it === connector.input_type) ?? 'poll'
  const body = { name, source, input_type, access_type, indexing_start, ...changed, prune_freq }
  return updateConnector(api, { connector_id: id, body: { ...body, expected_version: version } })
}
const ACCESS_TYPES = ['public', 'private', 'sync'] as const
const INPUT_TYPES = ['load_state', 'poll', 'event', 'slim_retrieval'] as const

interface FormProps {
  fields: readonly ConfigField[]
  texts: ConfigTexts
  isChanged: boolean
  onChange: (name: string, text: string) => void
  onClose: () => void
  onNext: () => void
}

function ConfigForm({ fields, texts, isChanged, onChange, onClose, onNext }: FormProps) {
  const t = textsOf('admin.connector.config')
  const [problem, setProblem] = useState<unknown>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    try {
      connectorOfTexts(texts, fields)
      if (isChanged) onNext()
    } catch (error) {
      setProblem(error)
    }
  }
  const schedule: ConfigField[] = [
    { name: ':refresh_freq', help: t('refresh_help'), kind: 'number', choices: [] },
    { name: ':prune_freq', help: t('prune_help'), kind: 'number', choices: [] },
  ]
  return (
    <form className="stack" onSubmit={submit}>
      {[...fields, ...schedule].map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          text={texts[field.name] ?? ''}
          onChange={(text) => onChange(field.name, text)}
        />
      ))}
      {problem instanceof Error && (
        <p role="alert" className="config-problem">
          {problem.message}
        </p>
      )}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {t('cancel')}
        </Button>
        <Button type="submit" disabled={!isChanged}>
          {t('review')}
        </Button>
      </div>
    </form>
  )
}

interface FieldProps {
  field: ConfigField
  text: string
  onChange: (text: string) => void
}

function FieldInput({ field: { name, help, kind, choices }, text, onChange }: FieldProps) {
  const t = textsOf('admin.connector.config')
  const shared = { label: labelOfField(name), description: help, dir: 'auto' as const, value: text }
  if (kind === 'flag') {
    const data = [
      { value: '', label: t('default') },
      { value: 'true', label: t('yes') },
      { value: 'false', label: t('no') },
    ]
    return <NativeSelect {...shared} data={data} onChange={(event) => onChange(event.currentTarget.value)} />
  }
  if (choices.length > 0) {
    const known = text === '' || choices.includes(text) ? choices : [text, ...choices]
    const data = [{ value: '', label: t('default') }, ...known.map((value) => ({ value, label: value }))]
    return <NativeSelect {...shared} data={data} onChange={(event) => onChange(event.currentTarget.value)} />
  }
  if (kind === 'lines' || kind === 'json') {
    const description = [help, kind === 'lines' ? t('lines_help') : t('json_help')]
      .filter((it) => it !== null)
      .join(' ')
    return (
      <Textarea
        {...shared}
        description={description}
        rows={3}
        maxLength={1_000_000}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  return (
    <TextInput
      {...shared}
      maxLength={10_000}
      autoComplete="off"
      {...(kind === 'number' && { inputMode: 'decimal' as const })}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

interface ReviewProps {
  mine: readonly Difference[]
  theirs: readonly Difference[]
  error: Error | null
  isPending: boolean
  onBack: () => void
  onSave: () => void
}

function Review({ mine, theirs, error, isPending, onBack, onSave }: ReviewProps) {
  const t = textsOf('admin.connector.config')
  return (
    <div className="stack">
      {theirs.length > 0 && (
        <Alert color="yellow" variant="light" role="alert" icon={<Icon name="alert" />} title={t('conflict_title')}>
          <p>{t('conflict_help')}</p>
          <ConfigDifference
            label={t('their_changes')}
            beforeLabel={t('you_saw')}
            afterLabel={t('they_saved')}
            differences={theirs}
          />
        </Alert>
      )}
      {mine.length === 0 ? (
        <p>{t('same')}</p>
      ) : (
        <ConfigDifference label={t('your_changes')} beforeLabel={t('now')} afterLabel={t('then')} differences={mine} />
      )}
      <p className="small dimmed">{t('restarts')}</p>
      {error !== null && <ErrorAlert error={error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onBack}>
          {t('change_more')}
        </Button>
        <Button loading={isPending} disabled={mine.length === 0} onClick={onSave}>
          {theirs.length > 0 ? t('save_anyway') : t('save')}
        </Button>
      </div>
    </div>
  )
}
