// Where the ranking is judged by hand, and tried on earlier queries before it is changed.
import { AdminLink } from '../../admin/admin-link.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { Judge } from './judge.tsx'
import { Judgements } from './judgements.tsx'
import { Replay } from './replay.tsx'
import '../ranking/ranking.css'
import './relevance.css'

export function RelevancePage() {
  const t = textsOf('admin.relevance')
  useTitle(t('title'))
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t.rich('intro', { ranking: (text) => <AdminLink page="ranking">{text}</AdminLink> })}</p>
        </div>
      </div>
      <Judge />
      <Replay />
      <Judgements />
    </div>
  )
}
