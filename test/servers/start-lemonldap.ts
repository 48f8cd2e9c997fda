// Starts a real LemonLDAP::NG portal (Debian) with its three demonstration accounts: dwho, rtyler and msmith, whose passwords
// are their names. Each belongs to the group `users`; dwho to `timelords`, the others to `earthlings`.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { answers, freePort, ownFolder, startServerProcess } from './server-process.ts'
import { type Browser, openBrowser } from './start-oidc.ts'

type Settings = Record<string, unknown>

export interface Lemonldap {
  url: string
  /** Goes through the pages of the portal, and returns the address outside of it that the browser is redirected to. */
  signIn(address: string, login: string, browser?: Browser): Promise<URL>
}

/** `settings` enables the issuers that a test uses, under the names of LemonLDAP::NG's own configuration. */
export async function startLemonldap(settings: (url: string) => Settings): Promise<Lemonldap> {
  const folder = ownFolder('lemonldap')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  for (const it of ['conf', 'sessions/lock', 'psessions/lock']) mkdirSync(join(folder, it), { recursive: true })
  const configuration = { ...basicSettings(folder, url), ...settings(url) }
  writeFileSync(join(folder, 'conf/lmConf-1.json'), JSON.stringify(configuration))
  writeFileSync(join(folder, 'lemonldap-ng.ini'), startSettings(folder))
  writeFileSync(
    join(folder, 'portal.psgi'),
    'use Lemonldap::NG::Portal::Main;\nLemonldap::NG::Portal::Main->run({});\n',
  )
  writeFileSync(join(folder, 'NoCaptcha.pm'), NO_CAPTCHA)
  await startServerProcess({
    command: [
      'plackup',
      '-I',
      folder,
      '-E',
      'deployment',
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      'portal.psgi',
    ],
    cwd: folder,
    env: { LLNG_DEFAULTCONFFILE: join(folder, 'lemonldap-ng.ini') },
    probe: () => answers(url),
  })
  return { url, signIn: (address, login, browser = openBrowser()) => signInAtPortal(url, address, { login, browser }) }
}

/** The key pair, in PEM, with which an issuer signs. */
export function makeIssuerKeys(): { privateKey: string; publicKey: string } {
  return generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
}

const MAX_STEPS = 10

async function signInAtPortal(
  url: string,
  address: string,
  { login, browser }: { login: string; browser: Browser },
): Promise<URL> {
  let page = await browser(address)
  for (let left = MAX_STEPS; left > 0; left -= 1) {
    const location = page.headers.get('location')
    if (location !== null) {
      const next = new URL(location, url)
      if (next.origin !== url) return next
      page = await browser(next.href)
      continue
    }
    const html = await page.text()
    const target = /name="url" value="([^"]*)"/.exec(html)?.[1]
    assert.ok(target !== undefined, `the portal answers ${page.status}: ${html.slice(0, 2_000)}`)
    page = await browser(url, new URLSearchParams({ url: target, user: login, password: login }))
  }
  assert.fail('the portal never redirected back')
}

const storage = (folder: string, name: string): Settings => ({
  Directory: join(folder, name),
  LockDirectory: join(folder, name, 'lock'),
  generateModule: 'Lemonldap::NG::Common::Apache::Session::Generate::SHA256',
})

const basicSettings = (folder: string, url: string): Settings => ({
  ...{ cfgNum: 1, cfgAuthor: 'test', cfgDate: '1' },
  ...{ portal: `${url}/`, domain: '127.0.0.1', cookieName: 'lemonldap', securedCookie: 0 },
  ...{ authentication: 'Demo', userDB: 'Same', passwordDB: 'Null', registerDB: 'Null' },
  demoExportedVars: { cn: 'cn', mail: 'mail', uid: 'uid' },
  macros: { is_verified: '1' },
  whatToTrace: 'uid',
  locationRules: { '127.0.0.1': { default: 'accept' } },
  ...{ globalStorage: 'Apache::Session::File', globalStorageOptions: storage(folder, 'sessions') },
  ...{ persistentStorage: 'Apache::Session::File', persistentStorageOptions: storage(folder, 'psessions') },
  localSessionStorage: '',
  // The pages that need packages for mail and pictures.
  ...{ portalDisplayResetPassword: 0, portalDisplayRegister: 0, captcha: 'NoCaptcha' },
  // A form without a token of one use.
  requireToken: '0',
})

const startSettings = (folder: string): string => `
[all]
logLevel = warn
[configuration]
type = File
dirName = ${folder}/conf
[portal]
templateDir = /usr/share/lemonldap-ng/portal/templates
staticPrefix = /static
`

/** The portal loads its module for pictures even if no page has one. */
const NO_CAPTCHA = `package NoCaptcha;
use Mouse;
extends 'Lemonldap::NG::Common::Module';
sub init { 1 }
1;
`
