import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  detectLanguage,
  foreignLanguages,
  isInMultilingualScript,
  type Language,
  languages,
  multilingualLanguages,
  type QueryKind,
  queryKind,
} from './language.ts'

const texts: [Language, string][] = [
  ['en', 'The quarterly report was approved by the board and will be published next week.'],
  ['de', 'Der Quartalsbericht wurde vom Vorstand genehmigt und wird nächste Woche veröffentlicht.'],
  ['de', 'Wie kann ich mein Passwort ändern?'],
  ['fr', 'Le rapport trimestriel a été approuvé par le conseil et sera publié la semaine prochaine.'],
  ['es', 'El informe trimestral fue aprobado por el consejo y se publicará la próxima semana.'],
  ['it', 'La relazione trimestrale è stata approvata dal consiglio e sarà pubblicata la prossima settimana.'],
  ['pt', 'O relatório trimestral foi aprovado pelo conselho e será publicado na próxima semana.'],
  ['nl', 'Het kwartaalverslag is door het bestuur goedgekeurd en wordt volgende week gepubliceerd.'],
  ['sv', 'Kvartalsrapporten har godkänts av styrelsen och kommer att publiceras nästa vecka.'],
  ['da', 'Kvartalsrapporten er blevet godkendt af bestyrelsen og bliver offentliggjort i næste uge.'],
  ['no', 'Kvartalsrapporten er godkjent av styret og vil bli publisert neste uke, men ikke før mandag.'],
  ['fi', 'Hallitus on hyväksynyt neljännesvuosiraportin, ja se julkaistaan ensi viikolla.'],
  ['pl', 'Raport kwartalny został zatwierdzony przez zarząd i zostanie opublikowany w przyszłym tygodniu.'],
  ['cs', 'Čtvrtletní zpráva byla schválena představenstvem a bude zveřejněna příští týden.'],
  ['hu', 'A negyedéves jelentést az igazgatóság jóváhagyta, és a jövő héten teszik közzé.'],
  ['ro', 'Raportul trimestrial a fost aprobat de consiliu și va fi publicat săptămâna viitoare.'],
  ['tr', 'Üç aylık rapor yönetim kurulu tarafından onaylandı ve gelecek hafta yayımlanacak.'],
  ['id', 'Laporan triwulanan telah disetujui oleh dewan dan akan diterbitkan minggu depan.'],
  ['ru', 'Квартальный отчёт был утверждён советом и будет опубликован на следующей неделе.'],
  ['uk', 'Квартальний звіт був затверджений радою і буде опублікований наступного тижня.'],
  ['el', 'Η τριμηνιαία έκθεση εγκρίθηκε από το συμβούλιο και θα δημοσιευτεί την επόμενη εβδομάδα.'],
  ['ar', 'تمت الموافقة على التقرير الفصلي من قبل مجلس الإدارة وسينشر الأسبوع المقبل.'],
  ['fa', 'گزارش فصلی توسط هیئت مدیره تأیید شد و هفته آینده منتشر می‌شود.'],
  ['he', 'הדוח הרבעוני אושר על ידי הדירקטוריון ויפורסם בשבוע הבא.'],
  ['hi', 'तिमाही रिपोर्ट को बोर्ड ने मंज़ूरी दे दी है और यह अगले सप्ताह प्रकाशित होगी।'],
  ['zh', '季度报告已获董事会批准，将于下周发布。'],
  ['ja', '四半期報告書は取締役会で承認され、来週公開されます。'],
  ['ko', '분기 보고서는 이사회의 승인을 받아 다음 주에 공개됩니다.'],
  ['th', 'รายงานประจำไตรมาสได้รับการอนุมัติจากคณะกรรมการแล้ว'],
]

for (const [language, text] of texts) {
  test(`${language}: "${text}"`, () => assert.equal(detectLanguage(text), language))
}

const unclear: [Language, string][] = [
  ['en', ''],
  ['en', 'PROJ-123'],
  ['en', 'Quarterly report 2024 final'],
  ['en', 'def read_csv(path, sep=","):\n    return [line.split(sep) for line in open(path)]'],
  ['en', '2024-05-17T10:00:00Z ERROR worker 3 connection refused 10.0.0.1:5432'],
  ['ja', 'AIシステム'],
  ['ko', 'API 서버 오류'],
  ['und', 'ქართული ენა'],
]

for (const [language, text] of unclear) {
  test(`"${text}" is detected as ${language}`, () => assert.equal(detectLanguage(text), language))
}

test('a text in another language is not detected as English because of a few English names', () => {
  assert.equal(detectLanguage('Der Release Manager hat das Deployment von Service Desk und Data Hub gestoppt'), 'de')
})

const queries: Record<QueryKind, readonly string[]> = {
  english: [
    'how do I reset my password',
    'lasagne recipe',
    'crème brûlée recipe',
    'São Paulo office',
    'Müller invoice',
    'SAP IT DE',
    'naïve Bayes in résumé screening',
    'pg_stat_activity',
    'os.path.join',
    'SELECT id, la FROM es_del',
    'getUserName()',
    'when does the café de Flore open',
    'PROJ-123',
    '10.0.0.1 → 10.0.0.2',
    '10 €',
    '½',
    'β-catenin and IκBα',
    'deploy 🚀',
    'Urlaubsantrag',
    '',
  ],
  latin: [
    'Wie beantrage ich Bildungsurlaub?',
    'Zufallszahl zwischen 1 und 10 erzeugen',
    'Kündigungsfrist in der Probezeit',
    "comment supprimer un membre de l'équipe",
    '¿Cuántos días de vacaciones tengo?',
    'come si cambia la password',
    'hoe kan ik mijn wachtwoord wijzigen',
    'jak mogę zmienić hasło',
    'hur byter jag lösenord på datorn',
  ],
  other_script: [
    'отпуск',
    'заявление на отпуск VPN',
    'άδεια',
    'إجازة',
    '休暇申請',
    '年假申请 VPN',
    '휴가 신청',
    'วันลา',
    'ქართული',
  ],
}
for (const kind of ['english', 'latin', 'other_script'] as const) {
  for (const query of queries[kind]) {
    test(`the query "${query}" is ${kind}`, () => assert.equal(queryKind(query), kind))
  }
}

const foreign: [query: string, foreign: Language[], own: Language[]][] = [
  ['How do I change my password?', ['de', 'zh', 'ru', 'fr'], ['en', 'und']],
  ['Wie ändere ich mein Passwort?', ['en', 'zh', 'ru'], ['de', 'nl', 'und']],
  ['как изменить пароль', ['en', 'de'], ['ru', 'uk', 'zh']],
  ['如何更改密码', ['en', 'de'], ['zh', 'ja']],
  ['pg_stat_activity', [], [...languages]],
  ['Urlaubsantrag', [], [...languages]],
  ['Urlaub in Elternzeit', [], [...languages]],
  ['Kosten was Server', [], [...languages]],
]
for (const [query, others, own] of foreign) {
  test(`documents in other languages are foreign to the query "${query}"`, () => {
    const found = foreignLanguages(query)
    for (const it of others) assert.ok(found.includes(it), it)
    for (const it of own) assert.ok(!found.includes(it), it)
  })
}

test('the multilingual model does not know the letters of Arabic, Hebrew, Indian and Thai queries', () => {
  for (const it of ['leave', 'Prüfung', 'отпуск', 'άδεια', '休暇', '年假', '휴가', 'PROJ-123'])
    assert.ok(isInMultilingualScript(it), it)
  for (const it of ['إجازة', 'חופשה', 'छुट्टी', 'วันลา', 'ქართული']) assert.ok(!isInMultilingualScript(it), it)
  for (const it of ['de', 'ru', 'el', 'zh', 'ja', 'ko'] as const) assert.ok(multilingualLanguages.includes(it), it)
  for (const it of ['ar', 'fa', 'he', 'hi', 'th', 'und'] as const) assert.ok(!multilingualLanguages.includes(it), it)
})
