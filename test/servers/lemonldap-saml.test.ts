// People sign in at LemonLDAP::NG with SAML 2.0, through the whole program.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from '../api/setup.ts'
import { makeAuthority } from '../egress/certificate.ts'
import { needs } from '../needs.ts'
import { failureIn } from '../oidc-browser.ts'
import { openSamlBrowser } from '../saml-browser.ts'
import { startLemonldap } from './start-lemonldap.ts'
import { openBrowser } from './start-oidc.ts'

const need = needs('lemonldap')
if (need.skip !== undefined) test('sign-in at LemonLDAP::NG with SAML', need, () => {})
else await register()

async function register(): Promise<void> {
  const { server, ask, ok } = await start({ EGRESS_ALLOW: '127.0.0.1' })
  const { key, cert } = makeAuthority('lemonldap').issue({ name: 'lemonldap.example', rsaBits: 2_048 })
  const service = `${server.url}/auth/saml/lemonldap`
  const portal = await startLemonldap((url) => samlSettings(url, { key, cert, service }))
  const metadata_url = `${portal.url}/saml/metadata`

  test('a person signs in, and gets the groups that LemonLDAP::NG names', async () => {
    const read = await ok('POST', '/admin/sign-in/saml-metadata', { body: { url: metadata_url } })
    assert.deepEqual([read.entity_id, read.certificates.length], [metadata_url, 1])
    const certificates = read.certificates.map((it: { pem: string }) => it.pem)
    const { entity_id, sso_url } = read
    const saml = { entity_id, sso_url, certificates, metadata_url, subject_attribute: 'uid', vouches_for_emails: true }
    const policy = { email_claim: 'mail', name_claim: 'cn', groups_claim: 'groups' }
    const body = { slug: 'lemonldap', name: 'LemonLDAP::NG', is_enabled: true, saml, policy }
    const { id } = await ok('POST', '/admin/sign-in/providers', { body })
    assert.equal((await ok('POST', `/admin/sign-in/providers/${id}/check`)).saml.metadata_was_read, true)
    const browser = openSamlBrowser(ask)
    const { xml, relayState } = await answerOf(await browser.leave('lemonldap', '/chat'))
    const reply = await browser.comeBack('lemonldap', xml, relayState)
    assert.equal(failureIn(reply), null, xml)
    const { email, groups } = (await browser.ask('GET', '/me')).body
    assert.deepEqual([email, groups], ['dwho@badwolf.org', ['timelords', 'users']])
    const again = openSamlBrowser(ask)
    const forged = await answerOf(await again.leave('lemonldap'))
    const other = forged.xml.replaceAll('dwho', 'rtyler')
    assert.notEqual(other, forged.xml)
    assert.equal(failureIn(await again.comeBack('lemonldap', other, forged.relayState)), 'answer_invalid')
  })

  /** Goes through the pages of the portal, to the form that posts the response. */
  async function answerOf(address: string): Promise<{ xml: string; relayState: string | null }> {
    const atPortal = openBrowser()
    let page = await atPortal(address)
    for (let left = 10; left > 0; left -= 1) {
      const location = page.headers.get('location')
      if (location !== null) {
        page = await atPortal(new URL(location, portal.url).href)
        continue
      }
      const html = await page.text()
      const field = (name: string) => new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(html)?.[1] ?? null
      const response = field('SAMLResponse')
      if (response !== null) return { xml: Buffer.from(response, 'base64').toString(), relayState: field('RelayState') }
      const fields = [...html.matchAll(/<input type="hidden" name="([^"]*)"[^>]* value="([^"]*)"/g)]
      const hidden = fields.map(([, name = '', value = '']): [string, string] => [name, value])
      page = await atPortal(portal.url, new URLSearchParams([...hidden, ['user', 'dwho'], ['password', 'dwho']]))
    }
    assert.fail('the portal never answered')
  }
}

function samlSettings(url: string, { key, cert, service }: { key: string; cert: string; service: string }) {
  const attribute = (name: string) => `1;${name};urn:oasis:names:tc:SAML:2.0:attrname-format:basic;${name}`
  const metadata = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${service}/metadata"><SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><AssertionConsumerService index="1" isDefault="true" Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${service}/callback"/></SPSSODescriptor></EntityDescriptor>`
  return {
    issuerDBSAMLActivation: 1,
    samlEntityID: `${url}/saml/metadata`,
    samlServicePrivateKeySig: key,
    samlServicePublicKeySig: cert,
    samlServiceSignatureMethod: 'RSA_SHA256',
    samlSPMetaDataXML: { pharos: { samlSPMetaDataXML: metadata } },
    samlSPMetaDataOptions: {
      pharos: {
        samlSPMetaDataOptionsSignSSOMessage: 1,
        samlSPMetaDataOptionsCheckSSOMessageSignature: 0,
        samlSPMetaDataOptionsSignatureMethod: 'RSA_SHA256',
        samlSPMetaDataOptionsNameIDFormat: 'unspecified',
      },
    },
    samlSPMetaDataExportedAttributes: {
      pharos: { mail: attribute('mail'), uid: attribute('uid'), cn: attribute('cn'), groups: attribute('groups') },
    },
  }
}
