// The instruction for a restore, with the commands to copy.
import type { Backup } from '../../../../src/client/schemas.ts'
import { CodeBlock } from '../../parts/copy.tsx'
import { textsOf } from '../../text/texts.ts'

const ANY_FILE = 'pharos-20260131T120000Z.tar.gz'

export function RestoreSteps({ backups }: { backups: readonly Backup[] }) {
  const t = textsOf('admin.backup.restore')
  const [newest] = backups
  const file = `/backups/${newest === undefined ? ANY_FILE : `pharos-${newest.id}.tar.gz`}`
  const code = (text: React.ReactNode) => <code>{text}</code>
  return (
    <section className="card card-pad stack" aria-labelledby="restore">
      <h2 id="restore">{t('title')}</h2>
      <p className="dimmed">{t('intro')}</p>
      <ol className="backup-steps">
        <li>
          {t('check')}
          <CodeBlock text={`npm run pharos -- restore ${file} --check`} label={t('check_command')} />
        </li>
        <li>{t('stop')}</li>
        <li>
          {t.rich('restore', { code })}
          <CodeBlock text={`npm run pharos -- restore ${file} --replace`} label={t('restore_command')} />
        </li>
        <li>{t.rich('key', { code })}</li>
        <li>
          {t('start')}
          <CodeBlock text="npm start" label={t('start_command')} />
        </li>
      </ol>
      <p className="dimmed">{t.rich('elsewhere', { code })}</p>
    </section>
  )
}
