// The files of a question: pictures as thumbnails, other files as links. Files that were deleted are only named.
import { useQuery } from '@tanstack/react-query'
import { listUserFiles } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import { QuestionPicture } from './question-picture.tsx'
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
      {files.map(({ id, name }) => {
        const stored = data?.find((it) => it.id === id)
        if (stored !== undefined && isShown(stored.file_type))
          return <QuestionPicture key={id} id={id} name={name ?? stored.name} />
        return (
          <li key={id} className="file">
            <Icon name="clip" size={14} />{' '}
            {stored === undefined ? (
              <bdi>{name ?? id}</bdi>
            ) : (
              <a href={`/api/chat/file/${encodeURIComponent(id)}`} download={name ?? id}>
                <bdi>{name ?? id}</bdi>
              </a>
            )}
            {data !== undefined && stored === undefined && <span className="dimmed">{t('deleted')}</span>}
          </li>
        )
      })}
    </ul>
  )
}

/** The service finds the type in the content. Browsers do not draw TIFF. */
const isShown = (type: string): boolean => ['image/png', 'image/jpeg', 'image/gif', 'image/webp'].includes(type)
