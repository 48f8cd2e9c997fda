import { useQueryClient } from '@tanstack/react-query'
import { createApiKey } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { NewSecret } from '../../parts/new-secret.tsx'
import { textsOf } from '../../text/texts.ts'
import { KINDS, kindChoices, MAX_NAME } from './key-kinds.ts'

export function NewKey({ onClose }: { onClose: () => void }) {
  const t = textsOf('admin.ingestion.keys')
  const queryClient = useQueryClient()
  return (
    <NewSecret
      is="key"
      texts={{ title: t('new'), create: t('create'), nameHelp: t('name_help'), nameExample: t('name_example') }}
      maxName={MAX_NAME}
      kinds={kindChoices()}
      create={async ({ kind, ...rest }) => {
        const { api_key } = await createApiKey(api, { body: { ...KINDS[kind], ...rest } })
        await queryClient.invalidateQueries({ queryKey: ['keys'] })
        return api_key ?? ''
      }}
      onClose={onClose}
    />
  )
}
