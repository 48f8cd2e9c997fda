import type { UserFileSnapshot } from '../../../../src/client/schemas.ts'
import { Icon } from '../../parts/icon.tsx'

/** Downloads an own file. */
export const FileLink = ({ file: { id, name } }: { file: Pick<UserFileSnapshot, 'id' | 'name'> }) => (
  <a className="file-link" href={`/api/chat/file/${encodeURIComponent(id)}`} download={name}>
    <Icon name="document" size={16} /> <bdi>{name}</bdi>
  </a>
)
