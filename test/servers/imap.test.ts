// The IMAP connector against a real Dovecot, through the whole program and over TLS.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithConnectors } from '../connectors/setup.ts'
import { openSite } from '../connectors/site.ts'
import { killWhileReading } from '../crash/connector.ts'
import { killedImap } from './killed-sources.ts'
import { onDovecot, PASSWORD } from './start-dovecot.ts'

const ANNA = 'anna@example.org'
const BERT = 'bert@example.org'

const message = (subject: string, text: string, more: string[] = []) =>
  [
    `From: =?utf-8?q?Zo=C3=AB?= <zoe@example.com>`,
    `To: ${ANNA}`,
    `Subject: ${subject}`,
    'Date: Mon, 02 Mar 2026 10:00:00 +0100',
    `Message-ID: <${encodeURIComponent(subject)}@example.com>`,
    ...more,
    '',
    text,
    '',
  ].join('\r\n')

const withAttachment = (subject: string, text: string) =>
  message(
    subject,
    [
      '--b',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      `${text} caf=E9`,
      '--b',
      'Content-Type: text/csv; name="figures.csv"',
      'Content-Disposition: attachment; filename="figures.csv"',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('name,count\npangolin,7\n').toString('base64'),
      '--b',
      'Content-Type: application/x-thing; name="thing.bin"',
      'Content-Disposition: attachment; filename="thing.bin"',
      '',
      'nothing to read',
      '--b--',
    ].join('\r\n'),
    ['Cc: "Carl, the third" <carl@example.net>', 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b'],
  )

await onDovecot(async (dovecot) => {
  const service = await startWithConnectors({ EGRESS_CA_FILE: dovecot.caFile })
  const { ok, pull, ended, documents, runAgain, prune, found, search, refused, until, makeKey } = service
  const credentialOf = async (imap_username: string, imap_password = PASSWORD): Promise<number> => {
    const body = { credential_json: { imap_username, imap_password }, admin_public: true, source: 'imap' }
    return (await ok('POST', '/manage/credential', { body })).id
  }
  const source = (more: object = {}) => ({
    source: 'imap',
    connector_specific_config: { host: '127.0.0.1', port: dovecot.port, ...more },
    refresh_freq: null,
    prune_freq: null,
  })

  dovecot.save(ANNA, 'INBOX', message('First', 'A message about wombats.'))
  dovecot.save(ANNA, 'INBOX', withAttachment('=?utf-8?q?Gr=C3=BC=C3=9Fe?=', 'A message with'))
  dovecot.save(ANNA, 'Entwürfe/Alt', message('Draft', 'A message in a folder with a name.'))
  dovecot.save(ANNA, 'Trash', message('Thrown away', 'A message that nobody needs.'))
  dovecot.save(ANNA, 'Junk', message('A prize', 'A message that nobody wants, in a mailbox without an attribute.'))

  test('an account is read: headers and bodies in any encoding, attachments, all mailboxes except trash and junk', async () => {
    const of = { credential: await credentialOf(ANNA), association: { access_type: 'sync' } }
    const attempt = await ended(await pull('Mail of Anna', source(), of))
    assert.deepEqual([attempt.status, attempt.total_docs_indexed], ['success', 3], JSON.stringify(attempt))
    const key = await makeKey({ role: 'basic', user_email: ANNA })
    const first = (query: string) =>
      until(async () => (await search(query, {}, { key })).results[0] ?? false, `a message with ${query}`)
    const seen = await first('pangolin')
    assert.equal(seen.semantic_identifier, 'Grüße')
    const { from, to, cc, attachments, mailbox } = seen.metadata
    assert.deepEqual([from, to, mailbox], [['Zoë <zoe@example.com>'], [ANNA], 'INBOX'])
    assert.deepEqual([cc, attachments], [['Carl, the third <carl@example.net>'], ['figures.csv', 'thing.bin']])
    assert.equal(Date.parse(seen.updated_at), Date.parse('2026-03-02T09:00:00Z'))
    assert.equal((await first('café')).semantic_identifier, 'Grüße')
    assert.match(seen.document_id, /^imap:\/\/anna%40example\.org@127\.0\.0\.1:\d+\/INBOX;UIDVALIDITY=\d+\/;UID=2$/)
    assert.equal((await first('folder')).metadata.mailbox, 'Entwürfe/Alt')
  })

  test('only the sender and the recipients may read a message', async () => {
    const seenBy = async (user_email: string) =>
      (await found('message', await makeKey({ role: 'basic', user_email }))).length
    const seen = [await seenBy(ANNA), await seenBy('zoe@example.com'), await seenBy('carl@example.net')]
    assert.deepEqual([...seen, await seenBy(BERT), (await found('message')).length], [3, 3, 1, 0, 0])
  })

  test('new and restored messages are read once, and deleted ones are pruned', async () => {
    for (const it of ['one', 'two', 'three']) dovecot.save(BERT, 'INBOX', message(`Number ${it}`, `Message ${it}.`))
    const in_ = (...words: string[]) => ['-u', BERT, ...words, 'mailbox', 'INBOX', 'uid']
    dovecot.administer('flags', 'add', ...in_('\\Deleted'), '2')
    const pair = await pull('Mail of Bert', source(), { credential: await credentialOf(BERT) })
    const uids = async () => (await documents(pair)).map((it) => Number(it.split('UID=').at(-1))).sort()
    assert.equal((await ended(pair)).total_docs_indexed, 2)
    assert.deepEqual(await uids(), [1, 3])

    const idle = await runAgain(pair)
    assert.deepEqual([idle.status, idle.total_docs_indexed], ['success', 0])

    dovecot.administer('flags', 'remove', ...in_('\\Deleted'), '2')
    dovecot.save(BERT, 'INBOX', message('Number four', 'Message four.'))
    dovecot.save(BERT, 'Archive', message('Number five', 'Message five.'))
    const again = await runAgain(pair)
    assert.deepEqual([again.status, again.total_docs_indexed, again.new_docs_indexed], ['success', 3, 3])
    assert.deepEqual(await uids(), [1, 1, 2, 3, 4])

    dovecot.administer('expunge', ...in_(), '1')
    dovecot.administer('flags', 'add', ...in_('\\Deleted'), '4')
    const { state, removed, error } = await prune(pair)
    assert.deepEqual([state, removed, error], ['none', 2, null])
    assert.deepEqual(await uids(), [1, 2, 3])

    dovecot.save(BERT, 'Junk', message('Wanted', 'A message that was taken for junk.'))
    const junk = await pull('The junk', source({ mailboxes: ['Junk'] }), { credential: await credentialOf(BERT) })
    assert.equal((await ended(junk)).total_docs_indexed, 1)

    const inbox = await pull('The archive', source({ mailboxes: ['Archive'] }), {
      credential: await credentialOf(BERT),
    })
    assert.equal((await ended(inbox)).total_docs_indexed, 1)
  })

  test('an account with many messages is read completely', async () => {
    const many = 45
    const folder = 'Many'
    for (let at = 0; at < many; at++) dovecot.save(ANNA, folder, message(`Serial ${at}`, `Serial message ${at}.`))
    const of = { credential: await credentialOf(ANNA) }
    const pair = await pull('Many', source({ mailboxes: [folder] }), of)
    const { status, total_docs_indexed, error_count } = await ended(pair)
    assert.deepEqual([status, total_docs_indexed, error_count], ['success', many, 0])
    assert.equal((await documents(pair)).length, many)
  })

  test('an unusable configuration is rejected at association, with the field and the server response', async () => {
    const refusal = async (name: string, connector: object, credential: number) => {
      const body = { name, input_type: 'poll', access_type: 'PUBLIC', ...connector }
      const { id } = await ok('POST', '/manage/admin/connector', { body })
      return (await refused('PUT', `/manage/admin/connector/${id}/credential/${credential}`, {}, 400)).detail
    }
    const good = await credentialOf(ANNA)
    const wrong = await credentialOf(ANNA, 'wrong')
    assert.match(await refusal('Wrong', source(), wrong), /json\.imap_password: 127\.0\.0\.1 rejected the login/)
    const unknown = await refusal('Unknown', source({ mailboxes: ['Nowhere'] }), good)
    assert.match(unknown, /config\.mailboxes: Mailbox "Nowhere" does not exist\. Existing mailboxes: .*"INBOX"/)
    const site = await openSite()
    const web = source({ port: site.port, is_encrypted: false })
    assert.match(await refusal('No mail', web, good), /config\.host: /)
    assert.match(await refusal('No TLS', source({ port: site.port }), good), /config\.host: /)
    assert.match(await refusal('No account', source(), 0), /credential_json/)
  })

  test('a killed run resumes and reads the same documents', { timeout: 600_000 }, async (t) =>
    killWhileReading(t, 2, await killedImap(dovecot, 120)),
  )
})
