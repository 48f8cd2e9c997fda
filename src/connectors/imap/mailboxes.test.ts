import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImapMailbox } from './client.ts'
import { selectMailboxes } from './mailboxes.ts'

const mailbox = (path: string, flags: string[] = [], delimiter: string | null = '/'): ImapMailbox => ({
  path,
  name: path,
  delimiter,
  flags: new Set(flags),
})
const read = (listed: readonly ImapMailbox[], names: string[] | null = null) =>
  selectMailboxes(listed, names).map((it) => it.name)

const JUNK = ['Junk', 'SPAM', 'Junk E-mail', 'junk email', 'Junk-Mail', 'Trash', 'Deleted Items', 'Deleted Messages']
const OTHERS = ['Papierkorb', 'Gelöschte Elemente', 'Courrier indésirable', 'Correo no deseado', 'Корзина', 'ゴミ箱']

for (const name of [...JUNK, ...OTHERS])
  test(`"${name}" is skipped without an attribute, at any depth`, () => {
    const listed = [mailbox('INBOX'), mailbox(name), mailbox(`Work/${name}`), mailbox(`INBOX.${name}`, [], '.')]
    assert.deepEqual(read(listed), ['INBOX'])
  })

test('a name that merely contains such a word is read', () => {
  const names = ['Anti-spam project', 'Junkers', 'Not deleted', 'Trash talk']
  assert.deepEqual(read(names.map((it) => mailbox(it))), names)
})

test('subfolders of a skipped mailbox are skipped, by name or by attribute', () => {
  const marked = [mailbox('Müll', ['\\trash']), mailbox('Müll/Old'), mailbox('Müllabfuhr')]
  assert.deepEqual(read([...marked, mailbox('Spam/2024'), mailbox('Flat Spam/x', [], null)]), [
    'Flat Spam/x',
    'Müllabfuhr',
  ])
})

test('configured mailboxes are read, junk or not', () => {
  const listed = [mailbox('INBOX'), mailbox('Junk'), mailbox('Trash', ['\\trash'])]
  assert.deepEqual(read(listed, ['Junk', 'Trash', 'inbox']), ['INBOX', 'Junk', 'Trash'])
})
