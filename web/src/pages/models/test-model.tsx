// Tests one of the models in the form, before anything is stored.
import { Button, NativeSelect } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { testLlmProvider } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import { connectionOf, namedModels, type ProviderValues } from './provider-values.ts'
import { FailedTest, WorkingTest } from './test-verdict.tsx'

export function TestModel({ values, providerId }: { values: ProviderValues; providerId: number | null }) {
  const t = textsOf('admin.models.test')
  const [chosen, setChosen] = useState('')
  const names = namedModels(values).map((it) => it.name.trim())
  const model = names.includes(chosen) ? chosen : names[0]
  const test = useMutation({
    mutationFn: (name: string) => testLlmProvider(api, { body: { ...connectionOf(values, providerId), model: name } }),
  })
  return (
    <>
      <div className="row">
        {names.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label={t('model')}
            value={model}
            onChange={(event) => setChosen(event.currentTarget.value)}
            data={[...new Set(names)]}
          />
        )}
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="play" size={14} />}
          disabled={model === undefined}
          loading={test.isPending}
          onClick={() => model !== undefined && test.mutate(model)}
        >
          {t('test')}
        </Button>
        <span className="small dimmed">{t('help')}</span>
      </div>
      <div className="models-live" aria-live="polite">
        {test.isSuccess && <WorkingTest model={test.variables} />}
        {test.isError && <FailedTest error={test.error} />}
      </div>
    </>
  )
}
