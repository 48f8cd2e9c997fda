// Runs against real servers that are killed twenty times.
import { test } from 'node:test'
import { type KilledSource, killWhileReading } from '../crash/connector.ts'
import { killedGit, killedImap, killedMediaWiki, killedRedmine, killedS3 } from './killed-sources.ts'
import { onDovecot } from './start-dovecot.ts'
import { onGit } from './start-git.ts'
import { onMediaWiki } from './start-mediawiki.ts'
import { onMinio } from './start-minio.ts'
import { onRedmine } from './start-redmine.ts'

const KILLS = 20
const timeout = 3_600_000

const sources: { name: string; open: () => Promise<KilledSource> }[] = []
const killed = (name: string, open: () => Promise<KilledSource>) => void sources.push({ name, open })

await onGit((server) => killed('git', () => killedGit(server, 2_600)))
await onMinio((minio) => killed('s3', () => killedS3(minio, 2_600)))
await onDovecot((dovecot) => killed('imap', () => killedImap(dovecot, 800)))
await onMediaWiki((wiki) => killed('mediawiki', () => killedMediaWiki(wiki, 400)))
await onRedmine((redmine) => killed('redmine', () => killedRedmine(redmine, 400)))

// Sequential, because a starting server would slow down the run of another.
for (const { name, open } of sources) {
  test(`${name}: a run that is killed twenty times reads the same documents`, { timeout }, async (t) =>
    killWhileReading(t, KILLS, await open()),
  )
}
