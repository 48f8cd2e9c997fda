// Words of queries and the spellings that they find in each language, beside those that Lucene's analyzer for the language
// finds with its default settings.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extractTerms } from './analyze.ts'
import { type Language, languages } from './language.ts'
import { queryTerms } from './query-terms.ts'

/** `null`: Lucene removes the word as a stop word, has no analyzer, or was not compared. */
type Row = [document: string, query: string, isFound: boolean, isFoundByLucene: boolean | null]

const TABLE: Partial<Record<Language, { lucene: string; rows: Row[] }>> = {
  de: {
    lucene: 'GermanNormalizationFilter (ß to ss; ä, ae to a; ue to u unless after a vowel or q), GermanLightStemFilter',
    rows: [
      ['Straße', 'Strasse', true, true],
      ['Strasse', 'Straße', true, true],
      ['STRASSE', 'straße', true, true],
      ['Müller', 'Mueller', true, true],
      ['Mueller', 'Müller', true, true],
      ['Müller', 'Muller', true, true],
      ['Übersicht', 'Uebersicht', true, true],
      ['Größe', 'Groesse', true, true],
      ['Verträge', 'Vertraege', true, true],
      ['Verträge', 'Vertrag', true, true],
      ['Häuser', 'Haus', true, true],
      ['aktuelle', 'aktuell', true, true],
      ['Quelle', 'Quellen', true, true],
      ['Steuer', 'Steuern', true, true],
      // Both need a dictionary of words to find the parts of a compound; the one for Lucene is not part of it.
      ['Urlaubsantrag', 'Antrag', false, false],
      ['Urlaubsantrag', 'Urlaub', false, false],
      ['Urlaubs-Antrag', 'Antrag', true, true],
      ['Mitarbeiter*innen', 'Mitarbeiter', true, true],
    ],
  },
  nl: {
    lucene: 'SnowballFilter (Dutch)',
    rows: [
      ['huizen', 'huis', true, null],
      ['reünie', 'reunie', true, null],
      ["foto's", 'foto', true, null],
      ['Ĳsland', 'ijsland', true, null],
      ['vakantieaanvraag', 'aanvraag', false, false],
    ],
  },
  sv: {
    lucene: 'SnowballFilter (Swedish); ScandinavianFoldingFilter exists and is not used',
    rows: [
      ['Malmö', 'Malmo', true, false],
      ['lösenord', 'losenord', true, false],
      ['Malmö', 'Malmø', true, false],
      ['Göteborg', 'Goeteborg', false, false],
      ['semesteransökan', 'ansökan', false, false],
    ],
  },
  da: {
    lucene: 'SnowballFilter (Danish); ScandinavianNormalizationFilter exists and is not used',
    rows: [
      ['Århus', 'Aarhus', true, false],
      ['Aarhus', 'Århus', true, false],
      ['AARHUS', 'århus', true, false],
      ['Århus', 'Arhus', true, false],
      ['Køge', 'Koege', true, false],
      ['Køge', 'Koge', true, false],
      ['Ærø', 'Aeroe', true, false],
      ['blåbærsyltetøj', 'blaabaersyltetoej', true, false],
      ['bøgerne', 'bøger', true, true],
      ['ferieansøgning', 'ansøgning', false, false],
    ],
  },
  no: {
    lucene: 'SnowballFilter (Norwegian); ScandinavianNormalizationFilter exists and is not used',
    rows: [
      ['Ålesund', 'Aalesund', true, false],
      ['Tromsø', 'Tromsoe', true, false],
      ['Tromsø', 'Tromso', true, false],
      ['smørbrød', 'smørbrødet', true, true],
    ],
  },
  fi: { lucene: 'SnowballFilter (Finnish)', rows: [['työ', 'tyo', true, false]] },
  fr: {
    lucene:
      "ElisionFilter (l' m' t' qu' n' s' j' d' c' jusqu' …), FrenchLightStemFilter, which folds from five letters on",
    rows: [
      ["l'équipe", 'équipe', true, true],
      ['l’équipe', 'equipe', true, true],
      ['équipe', "l'équipe", true, true],
      ["d'accord", 'accord', true, true],
      ["jusqu'à", 'à', true, null],
      ["aujourd'hui", "aujourd'hui", true, true],
      ['été', 'ete', true, false],
      ['œuvre', 'oeuvre', true, false],
      ['chevaux', 'cheval', true, true],
      ["L'ours", "l'avion", false, false],
    ],
  },
  it: {
    lucene:
      "ElisionFilter (l' un' dell' all' nell' sull' d' c' …), ItalianLightStemFilter, which folds from six letters on",
    rows: [
      ["dell'azienda", 'azienda', true, true],
      ['azienda', "un'azienda", true, true],
      ["l'ufficio", 'uffici', true, true],
      ["dell'ufficio", "dell'azienda", false, false],
      ['città', 'citta', true, false],
    ],
  },
  ca: {
    lucene: "ElisionFilter (d' l' m' n' s' t'), SnowballFilter (Catalan)",
    rows: [
      ["l'empresa", 'empresa', true, true],
      ["d'aigua", "l'aigua", true, true],
      ['col·legi', 'collegi', true, null],
      ['coŀlegi', 'col·legi', true, null],
      ["l'aigua", "l'empresa", false, false],
    ],
  },
  es: { lucene: 'SpanishLightStemFilter', rows: [['canción', 'canciones', true, null]] },
  pt: { lucene: 'PortugueseLightStemFilter', rows: [['ação', 'acao', true, null]] },
  pl: { lucene: 'StempelFilter', rows: [['Łódź', 'lodz', true, null]] },
  ro: { lucene: 'SnowballFilter (Romanian)', rows: [['ştiinţă', 'știință', true, null]] },
  tr: {
    lucene: 'ApostropheFilter, TurkishLowerCaseFilter, SnowballFilter (Turkish)',
    rows: [
      ['İstanbul’da', 'istanbul', true, true],
      ['ışık', 'isik', true, false],
    ],
  },
  el: {
    lucene: 'GreekLowerCaseFilter (no tonos, no dialytika, σ for ς), GreekStemFilter',
    rows: [
      ['Αθήνα', 'αθηνα', true, true],
      ['ΑΘΗΝΑ', 'Αθήνα', true, true],
      ['ΛΟΓΟΣ', 'λόγος', true, true],
      ['λόγος', 'λογοσ', true, true],
      ['προϊόν', 'προιον', true, true],
      ['έγγραφα', 'έγγραφο', true, true],
      ['ὕδωρ', 'υδωρ', true, false],
    ],
  },
  ru: {
    lucene: 'SnowballFilter (Russian), which reads ё as е',
    rows: [
      ['Ёлка', 'елка', true, true],
      ['приём', 'прием', true, true],
      ['документов', 'документ', true, true],
      ['за́мок', 'замок', true, false],
      ['йод', 'иод', false, false],
    ],
  },
  uk: {
    lucene: 'ґ to г, one apostrophe, no stress marks; then a dictionary of word forms',
    rows: [
      ['ґанок', 'ганок', true, true],
      ['ганок', 'ґанок', true, true],
      ["п'ять", 'п’ять', true, true],
      ['за́мок', 'замок', true, true],
      ['Київ', 'Киів', false, false],
    ],
  },
  sr: {
    lucene: 'SnowballFilter (Serbian), SerbianNormalizationFilter (Cyrillic to Latin, no marks)',
    rows: [
      ['документи', 'dokumenti', true, true],
      ['čaša', 'чаша', true, true],
      ['čaša', 'casa', true, true],
    ],
  },
  ar: {
    lucene: 'DecimalDigitFilter, ArabicNormalizationFilter, ArabicStemFilter (ال وال بال كال فال لل و)',
    rows: [
      ['الكتاب', 'كتاب', true, true],
      ['والكتاب', 'كتاب', true, true],
      ['فالكتاب', 'كتاب', true, true],
      ['كتاب', 'والكتاب', true, true],
      ['بالكتاب', 'كتاب', true, true],
      ['إدارة', 'اداره', true, true],
      ['كِتَاب', 'كتاب', true, true],
      ['١٢٣', '123', true, true],
      // "his father": the first three letters are part of the word.
      ['والده', 'والد', true, false],
    ],
  },
  he: { lucene: 'none', rows: [['שָׁלוֹם', 'שלום', true, null]] },
  ja: {
    lucene:
      'CJKWidthCharFilter, JapaneseBaseFormFilter, JapaneseKatakanaStemFilter (no ー at the end, from four letters on)',
    rows: [
      ['サーバー', 'サーバ', true, true],
      ['コンピュータ', 'コンピューター', true, true],
      ['ﾃﾞｰﾀ', 'データ', true, true],
      ['キー', 'キ', false, false],
    ],
  },
  th: { lucene: 'DecimalDigitFilter', rows: [['๑๒๓', '123', true, true]] },
  en: {
    lucene: "removes 's, PorterStemFilter; folds nothing",
    rows: [
      ['naïve', 'naive', true, false],
      ['Straße', 'Strasse', true, false],
      ['Müller', 'Muller', true, false],
      // In English, "ue" is no umlaut.
      ['Müller', 'Mueller', false, false],
      ['Aarhus', 'Arhus', false, false],
      ["O'Brien", "o'brien", true, true],
    ],
  },
}

for (const language of languages) {
  for (const [document, query, isFound] of TABLE[language]?.rows ?? []) {
    test(`${language}: "${query}" ${isFound ? 'finds' : 'does not find'} "${document}"`, () => {
      assert.equal(finds(query, document, language), isFound)
    })
  }
}

test('nothing that an analyzer of Lucene finds is missed', () => {
  const rows = Object.values(TABLE).flatMap((it) => it.rows)
  assert.deepEqual(
    rows.filter(([, , isFound, isFoundByLucene]) => isFoundByLucene === true && !isFound),
    [],
  )
})

/** In an index with English texts, as most are. */
function finds(query: string, document: string, language: Language): boolean {
  const terms = new Set(extractTerms(document, language))
  return queryTerms(query, [...new Set<Language>(['en', language])]).some((it) =>
    it.terms.some((term) => terms.has(term)),
  )
}
