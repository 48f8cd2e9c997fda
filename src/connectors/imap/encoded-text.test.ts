import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeEncodedWords, decodeMailboxName } from './encoded-text.ts'

for (const [name, text] of [
  ['INBOX', 'INBOX'],
  ['Entw&APw-rfe', 'Entwürfe'],
  ['R&-D', 'R&D'],
  ['~peter/mail/&U,BTFw-/&ZeVnLIqe-', '~peter/mail/台北/日本語'],
  ['Entw\xc3\xbcrfe', 'Entwürfe'],
  ['a & b', 'a & b'],
])
  test(`the mailbox name "${name}" decodes to "${text}"`, () => assert.equal(decodeMailboxName(name!), text))

for (const [words, text] of [
  ['plain', 'plain'],
  ['=?utf-8?q?Gr=C3=BC=C3=9Fe_aus?= =?utf-8?B?IEvDtmxu?=', 'Grüße aus Köln'],
  ['=?ISO-8859-1?Q?Keld_J=F8rn?= <x@y.z>', 'Keld Jørn <x@y.z>'],
  ['=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=', '日本'],
  ['=?x-nobody?Q?a=20b?=', '=?x-nobody?Q?a=20b?='],
  ['1 =? 2', '1 =? 2'],
])
  test(`"${words}" decodes to "${text}"`, () => assert.equal(decodeEncodedWords(words!), text))
