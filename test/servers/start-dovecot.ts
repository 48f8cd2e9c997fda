// Starts a real mail server: Debian's Dovecot on a free port, with a certificate that only the test trusts.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { needs } from '../needs.ts'
import { freePort, ownFolder, startServerProcess } from './server-process.ts'

export const PASSWORD = 'a password with "quotes" and ü'
export const ACCOUNTS = ['anna@example.org', 'bert@example.org']
/** The user "nobody", who owns the mail. */
const UID = 65_534

export interface Dovecot {
  port: number
  /** The certificate, which EGRESS_CA_FILE takes. */
  caFile: string
  /** Adds a message to a mailbox of the account. Creates a missing mailbox. */
  save(user: string, mailbox: string, message: string | Buffer): void
  /** Runs a command of its administrator: `doveadm flags add -u USER …`. */
  administer(...words: string[]): string
}

/** Registers the tests, or a skipped test with the reason if no server is available. */
export async function onDovecot(tests: (server: Dovecot) => void | Promise<void>): Promise<void> {
  const need = needs('dovecot')
  if (need.skip !== undefined) test('Dovecot', need, () => {})
  else await tests(await startDovecot())
}

async function startDovecot(): Promise<Dovecot> {
  const folder = ownFolder('dovecot')
  chmodSync(folder, 0o755)
  const port = await freePort()
  mkdirSync(join(folder, 'mail'))
  chownSync(join(folder, 'mail'), UID, UID)
  const caFile = join(folder, 'certificate.pem')
  const key = join(folder, 'key.pem')
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=Test mail']
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', caFile]
  execFileSync('openssl', [...request, ...names], { stdio: 'pipe' })
  const settings = join(folder, 'dovecot.conf')
  writeFileSync(join(folder, 'passwords'), ACCOUNTS.map((it) => `${it}:{PLAIN}${PASSWORD}\n`).join(''))
  writeFileSync(settings, settingsOf(folder, port, { caFile, key }))
  const probe = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
      socket.once('error', reject)
      socket.once('data', () => {
        socket.destroy()
        resolve()
      })
    })
  await startServerProcess({ command: ['dovecot', '-F', '-c', settings], cwd: folder, probe })
  const administer = (words: readonly string[], input?: string | Buffer) =>
    execFileSync('doveadm', ['-c', settings, ...words], { input, encoding: 'utf8', stdio: 'pipe' })
  const made = new Set<string>()
  return {
    port,
    caFile,
    save(user, mailbox, message) {
      const name = `${user} ${mailbox}`
      if (mailbox !== 'INBOX' && !made.has(name)) administer(['mailbox', 'create', '-u', user, mailbox])
      made.add(name)
      administer(['save', '-u', user, '-m', mailbox], message)
    },
    administer: (...words) => administer(words),
  }
}

const settingsOf = (folder: string, port: number, { caFile, key }: { caFile: string; key: string }) => `
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = ${folder}/server.log
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <${caFile}
ssl_key = <${key}
mail_location = maildir:${folder}/mail/%u
first_valid_uid = 1
default_internal_user = dovecot
default_login_user = dovenull
service imap-login {
  chroot =
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    port = ${port}
  }
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Trash {
    auto = create
    special_use = \\Trash
  }
}
passdb {
  driver = passwd-file
  args = ${folder}/passwords
}
userdb {
  driver = static
  args = uid=${UID} gid=${UID} home=${folder}/mail/%u
}
`
