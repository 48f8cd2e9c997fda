import assert from 'node:assert/strict'
import { test } from 'node:test'
import { htmlText } from './html-text.ts'

const cases = [
  ['<p>one<p>two', undefined, 'one\ntwo'],
  ['<title> A &amp;\n B </title><body>x', 'A & B', 'x'],
  ['a<script>"</p>"</script><style>b{}</style>c', undefined, 'ac'],
  ['<ul><li>one <b>bo</b>ld<li>two</ul>', undefined, 'one bold\ntwo'],
  ['<table><tr><td>a<td>b<tr><td>c</table>', undefined, 'a\nb\nc'],
  ['no markup at all &lt;b&gt;', undefined, 'no markup at all <b>'],
  ['<div><svg><text>no</text></svg>yes</div></div>', undefined, 'yes'],
] as const
for (const [html, title, text] of cases)
  test(`${html} has the text "${text.replaceAll('\n', ' / ')}"`, () => {
    assert.deepEqual(htmlText(html), { title, text })
  })
