import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { analyze, extractTerms } from './analyze.ts'
import { type Language, languages } from './language.ts'

/** Terms in order, separated by one space. */
const sentences: [language: Language, text: string, terms: string][] = [
  // Latin
  ['en', 'The adoption of policies was running late.', 'the adopt of polici was run late'],
  ['en', 'Connected connections connect naïve users', 'connect connect connect naiv user'],
  ['de', 'Die Häuser der Müllers sind groß.', 'die:de haus:de der:de mull:de sind:de gross:de'],
  ['fr', "L'équipe a vérifié les documents.", 'l:fr equip:fr a:fr verifi:fr verif:fr le:fr docu:fr'],
  ['es', 'Las canciones y una canción', 'las:es cancion:es y:es una:es cancion:es'],
  ['it', 'Le città e i documenti', 'le:it citt:it e:it i:it document:it'],
  ['pt', 'Os livros e o livro', 'os:pt livr:pt e:pt o:pt livr:pt'],
  ['nl', 'De huizen en het huis', 'de:nl huis:nl en:nl het:nl huis:nl'],
  ['sv', 'Bilarna och bilen', 'bil:sv och:sv bil:sv'],
  ['tr', 'Kitaplar İstanbul', 'kitap:tr istanbul:tr'],
  ['pl', 'Żółte dokumenty', 'zolt:pl dokument:pl'],
  ['und', 'Tiếng Việt', 'tieng viet'],
  // Cyrillic
  ['ru', 'Документы были подписаны, всё ещё мой.', 'документ был подписа все ещ мо'],
  ['en', 'see документы', 'see документ'],
  ['uk', "П'ять документів Києва", 'пят документів києв'],
  // Greek
  ['el', 'Τα έγγραφα της Αθήνας', 'τα εγγραφ τ αθην'],
  // Arabic
  ['ar', 'الوثائق الجديدة', 'وثايق جديد جديده'],
  ['fa', 'کتاب‌های ۱۲۳', 'كتاب:fa 123'],
  // Hebrew
  ['he', 'שָׁלוֹם צה"ל', 'שלום צהל'],
  // Devanagari
  ['hi', 'किताबें और किताब ४२', 'किताब और किताब 42'],
  // Han, kana
  ['ja', '東京都庁の文書管理システムは利用できます。', '東京 都庁 の 文書 管理 システム は 利用 でき ます'],
  ['zh', '人工智能技术改变企业搜索', '人工 智能 技术 改变 企业 搜索'],
  ['ja', 'ＡＢＣ１２３とﾃﾞｰﾀ', 'abc123 と データ'],
  // Thai
  ['th', 'เอกสารใหม่', 'เอกสาร ใหม่'],
  // Hangul
  ['ko', '서울에서 학생들은 회의를 합니다', '서울 학생 회의 합니다'],
  ['ko', 'AI는 2024년', 'ai 는 2024 년'],
  // Armenian, Tamil
  ['hy', 'քաղաքներ քաղաքների', 'քաղ քաղ'],
  ['ta', 'புத்தகங்கள்', 'புத்தகம்'],
]

for (const [language, text, terms] of sentences) {
  test(`${language}: "${text}" gives ${terms}`, () => assert.equal(extractTerms(text, language).join(' '), terms))
}

const exactForms: [text: string, terms: string][] = [
  ['PROJ-123', 'proj-123 proj 123'],
  ['proj‑123', 'proj-123 proj 123'],
  ['report_v2.final.pdf', 'report_v2.final.pdf report v2 final pdf'],
  ['1.2.3', '1.2.3 1 2 3'],
  ['(v1.2.3).', 'v1.2.3 v1 2 3'],
  ['Jane.Doe@example.com,', 'jane.doe@example.com jane doe exampl com'],
  ['10.0.0.1:8080', '10.0.0.1 10 0 0 1 8080'],
  ['https://example.com/a-b?q=1', 'https example.com exampl com a b q 1'],
  ['C++ and C#', 'c++ and c#'],
  ['R&D', 'r&d r d'],
  ['U.S.A. and USA', 'usa u s a and usa'],
  ['getUserName HTTPServer iPhone', 'getusernam get user name httpserver http server iphon'],
  ['__init__ self.name', 'init self.name self name'],
  ['e-mail co-operate', 'email e mail cooper co oper'],
  ['well-known', 'well known'],
  ["dog's isn't they'll O'Brien", 'dog isn they o brien'],
  ['H₂O x²', 'h2o x2'],
  ['soft\u00adware zero\u200dwidth', 'softwar zerowidth'],
  ['ﬁne ½ ①', 'fine 12 1'],
  ['- . _ @ \u0301 😀', ''],
]

for (const [text, terms] of exactForms) {
  test(`"${text}" gives ${terms || 'nothing'}`, () => assert.equal(extractTerms(text, 'en').join(' '), terms))
}

test('offsets refer to the original text', () => {
  const text = '😀 Ｃａｆｅ\u0301s: PROJ-123, 東京都庁'
  assert.deepEqual(
    analyze(text, 'en').map(({ term, start, end }) => [term, text.slice(start, end)]),
    [
      ['cafe', 'Ｃａｆｅ\u0301s'],
      ['proj-123', 'PROJ-123'],
      ['proj', 'PROJ'],
      ['123', '123'],
      ['東京', '東京'],
      ['都庁', '都庁'],
    ],
  )
})

test('a word inside a long Han word is found by its bigrams', () => {
  const terms = extractTerms('国会議事堂', 'ja')
  assert.ok(terms.includes('国会') && terms.includes('議事'), terms.join(' '))
})

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 }).map((units) => String.fromCharCode(...units)),
  fc.string({
    unit: fc.constantFrom(...'aZ9-_.@&\'"+#éßжЇ한の東ไ\u0301\u00ad\u200d\ud83d\ude00 İı'.split('')),
    maxLength: 80,
  }),
)

test('any text gives terms without spaces or lone surrogates, with offsets in order and on character boundaries', () => {
  const isInsidePair = (text: string, at: number) =>
    /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '')
  fc.assert(
    fc.property(anyText, fc.constantFrom(...languages), (text, language) => {
      let last = 0
      for (const { term, start, end } of analyze(text, language)) {
        assert.ok(term.isWellFormed() && term.length > 0 && term.length <= 200 && !/[\s\p{C}]/u.test(term), term)
        assert.ok(last <= start && start < end && end <= text.length)
        assert.ok(!isInsidePair(text, start) && !isInsidePair(text, end))
        last = start
      }
    }),
    { numRuns: 2_000 },
  )
})

test('composed and decomposed text give the same terms', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'aeéüçñйїёάôåşżőกำ한が ا أ ة'.split('')), maxLength: 40 })
  fc.assert(
    fc.property(letters, fc.constantFrom(...languages), (text, language) => {
      assert.deepEqual(extractTerms(text.normalize('NFD'), language), extractTerms(text.normalize('NFC'), language))
    }),
  )
})

const million = 1_000_000
const hostile: Record<string, string> = {
  'one word of 10 MB': 'x'.repeat(10 * million),
  'a million combining marks': `a${'\u0301'.repeat(million)}`,
  'a million joiners': 'a-'.repeat(million),
  'a compound of a million parts': 'a-1.'.repeat(million / 2),
  'a million lone surrogates': '\ud83d'.repeat(million),
  'a million camel-case parts': 'aB'.repeat(million),
  'a million Thai letters without a break': 'ก'.repeat(million),
  'a million Han characters': '漢'.repeat(million),
  'Thai with a million marks': `ก${'\u0e49'.repeat(million)}`,
  'a million apostrophes': "a'".repeat(million),
  'a million quotes in Hebrew': 'ש"'.repeat(million),
}

for (const [name, text] of Object.entries(hostile)) {
  test(`${name}: analyzed in linear time`, () => {
    const startedAt = performance.now()
    analyze(text, 'en')
    assert.ok(performance.now() - startedAt < 10_000)
  })
}

test('a long word is indexed by its first 64 characters', () => {
  assert.deepEqual(extractTerms(`${'é'.repeat(10_000)}`, 'fr'), ['e'.repeat(64)])
})
