import { useTitle } from '../../parts/use-title.ts'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { ApiKeys } from './api-keys.tsx'
import { Captions } from './captions.tsx'
import { PushExample } from './push-example.tsx'
import { ReceiptLookup } from './receipt-lookup.tsx'
import { Receipts } from './receipts.tsx'
import { TextRecognition } from './text-recognition.tsx'
import { Transcription } from './transcription.tsx'
import './ingestion.css'

export function IngestionPage() {
  const t = textsOf('admin.ingestion')
  const me = useMe()
  useTitle(t('title'))
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('intro')}</p>
        </div>
      </div>
      <div className="stack">
        <PushExample />
        <ApiKeys isAdministrator={hasPermission(me, 'admin')} />
        <ReceiptLookup />
        <Receipts />
        {hasPermission(me, 'admin') && <TextRecognition />}
        {hasPermission(me, 'admin') && <Transcription />}
        {hasPermission(me, 'admin') && <Captions />}
      </div>
    </>
  )
}
