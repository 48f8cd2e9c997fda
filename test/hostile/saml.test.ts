// Published attacks on the sign-in with SAML 2.0. Each starts from a response that the provider signed for another person.
// Signature wrapping: https://www.usenix.org/conference/usenixsecurity12/technical-sessions/presentation/somorovsky.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from '../api/setup.ts'
import { makeAuthority } from '../egress/certificate.ts'
import { failureIn } from '../oidc-browser.ts'
import { openSamlBrowser, postResponse } from '../saml-browser.ts'
import { type Changes, makeSmallSamlProvider, type SamlRequest, type SignOptions } from '../small-saml-provider.ts'

const PUBLIC_URL = 'http://pharos.example:8080'
const idp = makeSmallSamlProvider()
const other = makeSmallSamlProvider('https://other.example/metadata')
const { server, ask, ok } = await start({ PUBLIC_URL })

let count = 0
async function makeProvider(saml: Record<string, unknown> = {}) {
  const slug = `p-${count++}`
  const settings = { entity_id: idp.entityId, sso_url: idp.ssoUrl, certificates: [idp.certificate] }
  const body = {
    slug,
    name: `Provider ${slug}`,
    is_enabled: true,
    saml: { ...settings, vouches_for_emails: true, ...saml },
  }
  const { id } = await ok('POST', '/admin/sign-in/providers', { body })
  return { slug, id: id as number }
}
const shared = await makeProvider()
const MALLORY = { nameId: 'mallory', attributes: { email: 'mallory@example.com' } }
const VICTIM = { nameId: 'victim', attributes: { email: 'victim@example.com' } }

/** Signs in as another person than the provider signed. */
type Attack = (request: SamlRequest) => string

const assertionIn = (xml: string): string => /<saml:Assertion [\s\S]*<\/saml:Assertion>/.exec(xml)?.[0] ?? ''
const SIGNATURE = /<Signature [\s\S]*?<\/Signature>/
const signatureIn = (xml: string): string => SIGNATURE.exec(xml)?.[0] ?? ''
const withoutSignature = (xml: string): string => xml.replace(SIGNATURE, '')
const asVictim = (xml: string): string => xml.replaceAll('mallory', 'victim')
const newId = (xml: string): string => xml.replace(/ ID="[^"]+"/, ' ID="_forged"')
/** Where a signature may hold other elements. */
const intoSignature = (signature: string, text: string) => signature.replace('</Signature>', `${text}</Signature>`)

/** The parts of a response in which the assertion is signed, and the assertion that the attacker would like. */
function partsOf(request: SamlRequest) {
  const response = idp.answer(request, MALLORY)
  const signed = assertionIn(response)
  const evil = newId(asVictim(withoutSignature(signed)))
  return { response, signed, evil, signature: signatureIn(signed), unsigned: withoutSignature(signed) }
}

/** A response that is signed as a whole, and the response that the attacker would like. */
function responseParts(request: SamlRequest) {
  const response = idp.signResponse(idp.build(request, MALLORY))
  return { response, signature: signatureIn(response), evil: newId(asVictim(withoutSignature(response))) }
}
const afterIssuer = (xml: string, text: string) => xml.replace('</saml:Issuer>', `</saml:Issuer>${text}`)
const inResponse = (xml: string, assertions: string) => xml.replace(assertionIn(xml), assertions)
const WRONG_PLACE =
  /not where it belongs|more than one|another one|do not belong|not that of the element|twice|is not signed/

const WRAPPING: Record<string, Attack> = {
  'XSW1: the signed response inside the signature of another response': (request) => {
    const { response, signature, evil } = responseParts(request)
    return afterIssuer(evil, intoSignature(signature, response))
  },
  'XSW2: the signed response before its detached signature': (request) => {
    const { response, signature, evil } = responseParts(request)
    return afterIssuer(evil, withoutSignature(response) + signature)
  },
  'XSW3: another assertion before the signed one': (request) => {
    const { response, signed, evil } = partsOf(request)
    return inResponse(response, evil + signed)
  },
  'XSW3, turned: another assertion after the signed one': (request) => {
    const { response, signed, evil } = partsOf(request)
    return inResponse(response, signed + evil)
  },
  'XSW4: the signed assertion inside another one': (request) => {
    const { response, signed, evil } = partsOf(request)
    return inResponse(response, evil.replace('</saml:Assertion>', `${signed}</saml:Assertion>`))
  },
  'XSW5: the signature in another assertion, the signed one at the end': (request) => {
    const { response, signature, evil, unsigned } = partsOf(request)
    return inResponse(response, afterIssuer(evil, signature)).replace(
      '</samlp:Response>',
      `${unsigned}</samlp:Response>`,
    )
  },
  'XSW6: the signed assertion inside the signature of another one': (request) => {
    const { response, signature, evil, unsigned } = partsOf(request)
    return inResponse(response, afterIssuer(evil, intoSignature(signature, unsigned)))
  },
  'XSW7: another assertion inside extensions': (request) => {
    const { response, signed, evil } = partsOf(request)
    return inResponse(response, `<samlp:Extensions>${evil}</samlp:Extensions>${signed}`)
  },
  'XSW8: the signed assertion inside an object of the signature of another one': (request) => {
    const { response, signature, evil, unsigned } = partsOf(request)
    return inResponse(response, afterIssuer(evil, intoSignature(signature, `<Object>${unsigned}</Object>`)))
  },
  'an assertion of another namespace before the signed one': (request) => {
    const { response, signed, evil } = partsOf(request)
    return inResponse(response, evil.replaceAll('saml:Assertion', 'Assertion') + signed)
  },
  'the signed assertion in advice of another one': (request) => {
    const { response, signed, evil } = partsOf(request)
    return inResponse(
      response,
      evil.replace('</saml:Assertion>', `<saml:Advice>${signed}</saml:Advice></saml:Assertion>`),
    )
  },
  'two assertions with one id': (request) => {
    const { response, signed, unsigned } = partsOf(request)
    return inResponse(response, asVictim(unsigned) + signed)
  },
  'an id of another element that equals that of the assertion': (request) => {
    const { response, signed } = partsOf(request)
    const id = / ID="([^"]+)"/.exec(signed)?.[1] ?? ''
    return asVictim(response).replace('<samlp:Status>', `<samlp:Status Id="${id}">`)
  },
  'a second response inside the first': (request) => {
    const { response } = partsOf(request)
    return response.replace(
      '<samlp:Status>',
      `<samlp:Extensions>${withoutSignature(response)}</samlp:Extensions><samlp:Status>`,
    )
  },
  'a signature of the response that signs the assertion only': (request) => {
    const { response, evil, signature } = partsOf(request)
    return afterIssuer(inResponse(response, evil), signature)
  },
  'a reference to nothing': (request) => asVictim(partsOf(request).response).replace(/URI="#[^"]+"/, 'URI=""'),
}

const FORGERIES: [name: string, fault: RegExp, attack: Attack][] = [
  ...Object.entries(WRAPPING).map(([name, attack]): [string, RegExp, Attack] => [name, WRONG_PLACE, attack]),
  ['no signature', /not signed/, (request) => idp.build(request, VICTIM)],
  ['only the response is signed', /not signed/, (request) => idp.signResponse(idp.build(request, VICTIM))],
  [
    'an empty signature',
    /not exactly one reference/,
    (request) =>
      afterIssuerOfAssertion(idp.build(request, VICTIM), '<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"/>'),
  ],
  ['another text under the signature', /Invalid signature/, (request) => asVictim(idp.answer(request, MALLORY))],
  [
    'another attribute under the signature',
    /Invalid signature/,
    (request) => idp.answer(request, MALLORY).replace('mallory@example.com', 'victim@example.com'),
  ],
  [
    'another signature of the response',
    /Invalid document signature/,
    (request) => idp.signResponse(idp.answer(request, MALLORY)).replace('<samlp:Status>', '<samlp:Status x="y">'),
  ],
  ['a key of another provider', /Invalid signature/, (request) => other.signAssertion(idp.build(request, VICTIM))],
  [
    'a key that travels in the signature',
    /Invalid signature/,
    (request) => {
      const { key, cert } = makeAuthority('evil').issue({ name: 'idp.example', rsaBits: 2_048 })
      return idp.signAssertion(idp.build(request, VICTIM), { key, publicCert: cert })
    },
  ],
  [
    'HMAC with the certificate as its secret',
    /hmac-sha1, which is not accepted/,
    algorithm('SignatureMethod', 'http://www.w3.org/2000/09/xmldsig#hmac-sha1'),
  ],
  ['no algorithm', /which is not accepted/, algorithm('SignatureMethod', 'none')],
  [
    'a transform that runs a program',
    /xslt-19991116, which is not accepted/,
    algorithm('Transform', 'http://www.w3.org/TR/1999/REC-xslt-19991116'),
  ],
  [
    'a transform that selects',
    /REC-xpath-19991116, which is not accepted/,
    algorithm('Transform', 'http://www.w3.org/TR/1999/REC-xpath-19991116'),
  ],
  [
    'a signature with SHA-1',
    /rsa-sha1, which is not accepted/,
    signed({ signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
  ],
  [
    'a digest with SHA-1',
    /xmldsig#sha1, which is not accepted/,
    signed({ digestAlgorithm: 'http://www.w3.org/2000/09/xmldsig#sha1' }),
  ],
  [
    'SHA-1 that is written with a reference to a character',
    /rsa-sha1, which is not accepted/,
    (request) =>
      signed({ signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' })(request).replace(
        'rsa-sha1',
        'rsa-sha&#49;',
      ),
  ],
  ['a signature of the name only', /not that of the element/, signed({ xpath: "//*[local-name(.)='NameID']" })],
  [
    'a comment in the name',
    /comment/,
    (request) =>
      idp.answer(request, { ...MALLORY, nameId: 'victim.mallory' }).replace('victim.mallory', 'victim<!-- -->.mallory'),
  ],
  [
    'a processing instruction in the name',
    /processing instruction/,
    (request) =>
      idp.answer(request, { ...MALLORY, nameId: 'victim.mallory' }).replace('victim.mallory', 'victim<?x?>.mallory'),
  ],
  [
    'CDATA in the name',
    /CDATA/,
    (request) => idp.answer(request, MALLORY).replace('>mallory<', '><![CDATA[mallory]]><'),
  ],
  [
    'an encrypted assertion',
    /is encrypted/,
    (request) => inResponse(idp.build(request, VICTIM), '<saml:EncryptedAssertion>x</saml:EncryptedAssertion>'),
  ],
  [
    'an assertion of SAML 1',
    /no response of SAML 2.0/,
    (request) => idp.answer(request, MALLORY).replace('Version="2.0"', 'Version="1.1"'),
  ],
  [
    'a request in place of a response',
    /no response of SAML 2.0/,
    (request) => idp.answer(request, MALLORY).replaceAll('samlp:Response', 'samlp:LogoutRequest'),
  ],
  ['two roots', /well formed|root/, (request) => idp.answer(request, MALLORY).repeat(2)],
  [
    'an entity that reads a file',
    /declaration/,
    (request) =>
      `<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>${idp.answer(request, { ...MALLORY, nameId: '&e;' })}`,
  ],
  ['entities that multiply', /declaration/, (request) => `${multiplying()}${idp.answer(request, MALLORY)}`],
  [
    'an entity that is not declared',
    /well formed/,
    (request) => idp.answer(request, MALLORY).replace('>mallory<', '>&victim;<'),
  ],
  ['text that is no XML', /well formed|root/, () => 'SAML'],
  ['bytes that are no UTF-8', /no base64 of UTF-8/, () => 'latin1'],
  ['very deep elements', /nested more than 40/, (request) => nested(idp.answer(request, MALLORY), 5_000)],
  [
    'very many elements',
    /more than 2000 elements/,
    (request) => filled(idp.answer(request, MALLORY), '<a/>'.repeat(15_000)),
  ],
  [
    'more elements than are parsed',
    /too many elements/,
    (request) => filled(idp.answer(request, MALLORY), '<a/>'.repeat(25_000)),
  ],
  [
    'very many attributes',
    /more than 30 attributes/,
    (request) =>
      filled(idp.answer(request, MALLORY), `<a ${Array.from({ length: 10_000 }, (_, at) => `a${at}=""`).join(' ')}/>`),
  ],
]

const HOUR = 3_600_000
const MISDIRECTED: [name: string, fault: RegExp, changes: Changes][] = [
  ['another issuer', /issuer is https:\/\/other/, { issuer: 'https://other.example/metadata' }],
  ['another audience', /audience/, { audience: 'https://another.example' }],
  ['no audience', /AudienceRestriction/, { audience: null }],
  ['another recipient', /recipient is/, { recipient: 'https://another.example/acs' }],
  ['no recipient', /recipient is missing/, { recipient: null }],
  ['another destination', /destination is/, { destination: 'https://another.example/acs' }],
  ['another request', /answers another request/, { inResponseTo: '_another' }],
  ['another request in the confirmation', /answers another request/, { confirmedRequest: '_another' }],
  ['no request', /answers another request/, { inResponseTo: null, confirmedRequest: null }],
  ['no request in the confirmation', /answers another request/, { confirmedRequest: null }],
  ['an end in the past', /expired/, { notOnOrAfter: -2 * 60_000 }],
  ['a beginning in the future', /not yet valid/, { notBefore: 2 * 60_000 }],
  ['a confirmation that has ended', /confirmation was valid until/, { confirmedUntil: -2 * 60_000 }],
  ['a confirmation without end', /confirmation has no end|parsing NotOnOrAfter/, { confirmedUntil: null }],
  ['another kind of confirmation', /bearer/, { method: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches' }],
  ['an age of two hours', /more than an hour old/, { issued: -2 * HOUR, notOnOrAfter: 10 * HOUR }],
  ['a time of the future', /of the future/, { issued: 2 * 60_000 }],
  ['a session that is over', /session at the provider is over/, { sessionEnd: -2 * 60_000 }],
  ['no conditions', /Conditions|undefined|null/, { conditions: '' }],
  ['an id that is empty', /not that of the element|no usable id|reference/, { assertionId: '' }],
]
const CASES: [name: string, fault: RegExp, attack: Attack][] = [
  ...FORGERIES,
  ...MISDIRECTED.map(([name, fault, changes]): [string, RegExp, Attack] => [
    name,
    fault,
    (request) => idp.answer(request, VICTIM, changes),
  ]),
]

function signed(options: SignOptions): Attack {
  return (request) => idp.signAssertion(idp.build(request, MALLORY), options)
}
function algorithm(element: string, name: string): Attack {
  return (request) => idp.answer(request, MALLORY).replace(new RegExp(`(<${element} Algorithm=")[^"]+`), `$1${name}`)
}
const afterIssuerOfAssertion = (xml: string, text: string) => inResponse(xml, afterIssuer(assertionIn(xml), text))
const filled = (xml: string, text: string) =>
  xml.replace('<samlp:Status>', `<samlp:Extensions>${text}</samlp:Extensions><samlp:Status>`)
const nested = (xml: string, depth: number) => filled(xml, '<a>'.repeat(depth) + '</a>'.repeat(depth))
function multiplying(): string {
  const rows = Array.from({ length: 9 }, (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`)
  return `<!DOCTYPE a [<!ENTITY a0 "ha">${rows.join('')}]>`
}

/** A post of exactly these bytes. */
const bytesOf = (xml: string) => (xml === 'latin1' ? Buffer.from([0x3c, 0xe4, 0x3e]) : xml)

test('an honest response signs in beside each attack', async () => {
  const browser = openSamlBrowser(ask)
  const request = idp.read(await browser.leave(shared.slug))
  assert.equal(failureIn(await browser.comeBack(shared.slug, idp.answer(request, MALLORY), request.relayState)), null)
  assert.equal((await browser.ask('GET', '/me')).body.email, 'mallory@example.com')
})

for (const [name, fault, attack] of CASES) {
  test(`a response is refused: ${name}`, async () => {
    const provider = await makeProvider()
    // A test of the provider shows why.
    const tester = openSamlBrowser(ask)
    const begun = await ask('POST', `/admin/sign-in/providers/${provider.id}/test`)
    tester.keep(begun)
    const tested = idp.read(begun.body.authorization_url)
    await tester.comeBack(provider.slug, bytesOf(attack(tested)), tested.relayState)
    const verdict = await ok('GET', `/admin/sign-in/providers/${provider.id}/test`)
    assert.equal(verdict?.failure, 'answer_invalid')
    assert.match(verdict.detail, fault)

    const browser = openSamlBrowser(ask)
    const request = idp.read(await browser.leave(provider.slug))
    const pending = new Map(browser.cookies)
    const reply = await browser.comeBack(provider.slug, bytesOf(attack(request)), request.relayState)
    assert.equal(failureIn(reply), 'answer_invalid')
    assert.equal((await browser.ask('GET', '/me')).status, 401)
    assert.deepEqual(await refusals(provider.slug), [['session.create', 'SIGN_IN_REFUSED', ['answer_invalid']]])
    // The same sign-in still ends well with what the provider really says.
    for (const [name, value] of pending) browser.cookies.set(name, value)
    const honest = idp.answer(request, { nameId: provider.slug, attributes: { email: `${provider.slug}@example.com` } })
    assert.equal(failureIn(await browser.comeBack(provider.slug, honest, request.relayState)), null)
  })
}

async function refusals(slug: string) {
  const entries = await ok('GET', '/admin/audit?limit=100')
  return entries
    .filter((it: { object_id: string; outcome: string }) => it.object_id === slug && it.outcome === 'refused')
    .map((it: { action: string; error_code: string; fields: string[] }) => [it.action, it.error_code, it.fields])
}

test('a response works once, in every sign-in', async () => {
  const browser = openSamlBrowser(ask)
  const request = idp.read(await browser.leave(shared.slug))
  const xml = idp.answer(request, MALLORY)
  const pending = new Map(browser.cookies)
  assert.equal(failureIn(await browser.comeBack(shared.slug, xml, request.relayState)), null)
  const thief = openSamlBrowser(ask)
  for (const [name, value] of pending) thief.cookies.set(name, value)
  assert.equal(failureIn(await thief.comeBack(shared.slug, xml, request.relayState)), 'state')
  const unasked = await makeProvider({ allows_idp_initiated: true })
  const addresses = { ...idp.read(await openSamlBrowser(ask).leave(unasked.slug)), id: null }
  const free = idp.answer(addresses, VICTIM)
  assert.equal(failureIn(await openSamlBrowser(ask).comeBack(unasked.slug, free, null)), null)
  const replay = await openSamlBrowser(ask).comeBack(unasked.slug, free, null)
  assert.equal(failureIn(replay), 'answer_invalid')
  assert.equal((await refusals(unasked.slug)).length, 1)
})

test('a response that is posted twice at the same time works once', async () => {
  const { slug } = await makeProvider({ allows_idp_initiated: true })
  const addresses = { ...idp.read(await openSamlBrowser(ask).leave(slug)), id: null }
  const xml = idp.answer(addresses, VICTIM)
  const replies = await Promise.all(Array.from({ length: 5 }, () => postResponse(ask, slug, xml, null)))
  assert.equal(replies.filter((it) => failureIn(it) === null).length, 1)
})

test('a sign-in that an attacker began does not end in the browser of another person', async () => {
  const attacker = openSamlBrowser(ask)
  const request = idp.read(await attacker.leave(shared.slug))
  const xml = idp.answer(request, MALLORY)
  const victim = openSamlBrowser(ask)
  await victim.leave(shared.slug)
  assert.equal(failureIn(await victim.comeBack(shared.slug, xml, request.relayState)), 'state')
  assert.equal((await victim.ask('GET', '/me')).status, 401)
})

test('a person who answers the sign-in of an attacker signs the attacker in nowhere', async () => {
  const attacker = openSamlBrowser(ask)
  const request = idp.read(await attacker.leave(shared.slug))
  const posted = await postResponse(ask, shared.slug, idp.answer(request, VICTIM), request.relayState)
  const path = String(posted.headers.location)
  assert.match(path, /\/finish\?state=/)
  const guess = new URLSearchParams({ state: request.relayState ?? '', answer: 'A'.repeat(43) })
  assert.equal(failureIn(await attacker.ask('GET', `/auth/saml/${shared.slug}/finish?${guess}`)), 'state')
  assert.equal(failureIn(await attacker.ask('GET', path)), 'state')
  assert.equal((await attacker.ask('GET', '/me')).status, 401)
})

test('a response of one provider is refused in the sign-in of another (mix-up)', async () => {
  const evil = await makeProvider({ entity_id: other.entityId, certificates: [other.certificate] })
  const browser = openSamlBrowser(ask)
  const request = other.read(await browser.leave(evil.slug))
  assert.equal(
    failureIn(await browser.comeBack(shared.slug, other.answer(request, VICTIM), request.relayState)),
    'state',
  )
  assert.equal(failureIn(await browser.comeBack(shared.slug, idp.answer(request, VICTIM), request.relayState)), 'state')
  assert.equal(
    failureIn(await browser.comeBack(evil.slug, idp.answer(request, VICTIM), request.relayState)),
    'answer_invalid',
  )
})

test('a response that nobody asked for is refused, and not even read, unless the provider allows it', async () => {
  const addresses = { ...idp.read(await openSamlBrowser(ask).leave(shared.slug)), id: null }
  const xml = idp.answer(addresses, VICTIM)
  for (const relayState of [null, '/', 'A'.repeat(43)]) {
    assert.equal(failureIn(await openSamlBrowser(ask).comeBack(shared.slug, xml, relayState)), 'state')
    assert.equal(failureIn(await openSamlBrowser(ask).comeBack(shared.slug, 'no XML', relayState)), 'state')
  }
})

test('a response to a request is refused as one that nobody asked for', async () => {
  const { slug } = await makeProvider({ allows_idp_initiated: true })
  const request = idp.read(await openSamlBrowser(ask).leave(slug))
  assert.equal(
    failureIn(await openSamlBrowser(ask).comeBack(slug, idp.answer(request, VICTIM), null)),
    'answer_invalid',
  )
})

test('after a sign-in that began at the provider the browser stays on this service', async () => {
  const { slug } = await makeProvider({ allows_idp_initiated: true })
  const addresses = { ...idp.read(await openSamlBrowser(ask).leave(slug)), id: null }
  const evil = ['https://evil.example/', '//evil.example', '/\\evil.example', '/.//evil.example', 'javascript:alert(1)']
  for (const relayState of [...evil, '/\t/evil.example', '/\r\nset-cookie:x=y']) {
    const reply = await openSamlBrowser(ask).comeBack(slug, idp.answer(addresses, VICTIM), relayState)
    assert.equal(new URL(String(reply.headers.location), server.url).origin, server.url, relayState)
    assert.doesNotMatch(String(reply.headers.location), /[\r\n]|^\/[/\\]/)
    assert.equal(failureIn(reply), null)
  }
})

test('a provider that is off accepts nothing', async () => {
  const provider = await makeProvider({ allows_idp_initiated: true })
  const browser = openSamlBrowser(ask)
  const request = idp.read(await browser.leave(provider.slug))
  const posted = await postResponse(ask, provider.slug, idp.answer(request, MALLORY), request.relayState)
  await ok('PATCH', `/admin/sign-in/providers/${provider.id}`, { body: { is_enabled: false } })
  assert.equal(failureIn(await browser.ask('GET', String(posted.headers.location))), 'state')
  assert.equal(
    failureIn(await browser.comeBack(provider.slug, idp.answer({ ...request, id: null }, VICTIM), null)),
    'state',
  )
})

test('no other write accepts a post of another site because of this one', async () => {
  const browser = openSamlBrowser(ask)
  const request = idp.read(await browser.leave(shared.slug))
  await browser.comeBack(shared.slug, idp.answer(request, MALLORY), request.relayState)
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { cookie, origin: 'https://idp.example', 'sec-fetch-site': 'cross-site' }
  const reply = await ask('POST', '/auth/logout', { key: null, headers })
  assert.equal(reply.body.error_code, 'CSRF_FAILURE')
})

test('a response that is too long is refused before it is read', async () => {
  const long = await postResponse(ask, shared.slug, 'x'.repeat(900_000), null)
  assert.equal(long.status, 413)
})

test('the service answers others while a text takes long to verify', async () => {
  const browser = openSamlBrowser(ask)
  const request = idp.read(await browser.leave(shared.slug))
  const slow = filled(idp.answer(request, MALLORY), '<a/>'.repeat(1_800))
  let isOver = false
  const posts = Promise.all(
    Array.from({ length: 3 }, () => postResponse(ask, shared.slug, slow, request.relayState)),
  ).finally(() => {
    isOver = true
  })
  let longest = 0
  while (!isOver) {
    const begin = performance.now()
    await ask('GET', '/health', { key: null })
    longest = Math.max(longest, performance.now() - begin)
  }
  await posts
  assert.ok(longest < 1_000, `a request took ${Math.round(longest)} ms`)
})
