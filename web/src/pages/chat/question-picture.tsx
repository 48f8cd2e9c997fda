// A picture of a question: a thumbnail that opens the whole picture.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from '../../parts/dialog.tsx'
import { textsOf } from '../../text/texts.ts'

export function QuestionPicture({ id, name }: { id: string; name: string }) {
  const t = textsOf('chat.question')
  const [isOpen, setOpen] = useState(false)
  const address = `/api/chat/file/${encodeURIComponent(id)}`
  return (
    <li className="question-picture">
      <button type="button" aria-label={t('show_picture', { name })} title={name} onClick={() => setOpen(true)}>
        <img src={address} alt={t('picture', { name })} loading="lazy" decoding="async" />
      </button>
      {isOpen && (
        <Dialog title={name} isWide onClose={() => setOpen(false)}>
          <img className="whole-picture" src={address} alt={t('picture', { name })} />
          <div className="dialog-buttons">
            <a href={address} download={name}>
              {t('download_picture')}
            </a>
            <Button variant="default" onClick={() => setOpen(false)}>
              {t('close_picture')}
            </Button>
          </div>
        </Dialog>
      )}
    </li>
  )
}
