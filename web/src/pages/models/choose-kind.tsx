// The kinds of providers as cards.
import { Badge } from '@mantine/core'
import type { WellKnownLLMProviderDescriptor } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { textsOf } from '../../text/texts.ts'
import { kindHelp, kindTitle } from './kind-texts.ts'

/** The kind for everything else comes last. */
const byService = (one: WellKnownLLMProviderDescriptor, other: WellKnownLLMProviderDescriptor) =>
  Number(one.name === ANY) - Number(other.name === ANY)
const ANY = 'openai_compatible'

export function ChooseKind({ kinds }: { kinds: readonly WellKnownLLMProviderDescriptor[] }) {
  const t = textsOf('admin.models.kinds')
  return (
    <ul className="model-kinds">
      {kinds.toSorted(byService).map((kind) => (
        <li key={kind.name}>
          <AdminLink page="models" id={`add-${kind.name}`} className="card model-kind">
            <strong>{kindTitle(kind)}</strong>
            <span className="small dimmed">{kindHelp(kind)}</span>
            <Badge variant="light" color={kind.api_key_required ? 'gray' : 'green'} tt="none">
              {t(kind.api_key_required ? 'service' : 'own_server')}
            </Badge>
          </AdminLink>
        </li>
      ))}
    </ul>
  )
}
