// The files of a question: links to those that still exist.
import { useQuery } from '@tanstack/react-query'
import { listUserFiles } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import type { FileDescriptor } from './wire.ts'

export function QuestionFiles({ files }: { files: readonly FileDescriptor[] }) {
  const t = textsOf('chat.question')
  const ids = files.map((it) => it.id)
  const { data } = useQuery({
    queryKey: ['files', 'of', ids],
    queryFn: ({ signal }) => listUserFiles(api, { body: { file_ids: ids }, signal }),
    staleTime: 60_000,
  })
  return (
    <ul className="question-files" aria-label={t('files')}>
      {files.map(({ id, name }) => (
        <li key={id} className="file">
          <Icon name="clip" size={14} />{' '}
          {data?.some((it) => it.id === id) ? (
            <a href={`/api/chat/file/${encodeURIComponent(id)}`} download={name ?? id}>
              <bdi>{name ?? id}</bdi>
            </a>
          ) : (
            <bdi>{name ?? id}</bdi>
          )}
          {data !== undefined && !data.some((it) => it.id === id) && <span className="dimmed">{t('deleted')}</span>}
        </li>
      ))}
    </ul>
  )
}
