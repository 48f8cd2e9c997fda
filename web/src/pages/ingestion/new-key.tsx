import { useQueryClient } from '@tanstack/react-query'
import { createApiKey } from '../../../../src/client/operations.ts'
import type { ApiKeyArgs } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { NewSecret } from '../../parts/new-secret.tsx'
import { textsOf } from '../../text/texts.ts'

const KINDS = {
  push: { role: 'limited', scopes: ['ingest'] },
  both: { role: 'limited', scopes: ['ingest', 'search'] },
  search: { role: 'basic', scopes: null },
  curator: { role: 'curator', scopes: null },
  admin: { role: 'admin', scopes: null },
} satisfies Record<string, ApiKeyArgs>
const KIND_NAMES = ['push', 'both', 'search', 'curator', 'admin'] as const
/** The longest name that the API takes. */
const MAX_NAME = 1_000

export function NewKey({ onClose }: { onClose: () => void }) {
  const t = textsOf('admin.ingestion.keys')
  const queryClient = useQueryClient()
  return (
    <NewSecret
      is="key"
      texts={{ title: t('new'), create: t('create'), nameHelp: t('name_help'), nameExample: t('name_example') }}
      maxName={MAX_NAME}
      kinds={KIND_NAMES.map((value) => ({ value, label: t(`kinds.${value}`) }))}
      create={async ({ kind, ...rest }) => {
        const { api_key } = await createApiKey(api, { body: { ...KINDS[kind], ...rest } })
        await queryClient.invalidateQueries({ queryKey: ['keys'] })
        return api_key ?? ''
      }}
      onClose={onClose}
    />
  )
}
