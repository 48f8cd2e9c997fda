// Starts a real OpenID provider, and simulates a person with a browser.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { needs, OIDC_PROVIDER } from '../needs.ts'
import { answers, freePort, ownFolder, startServerProcess } from './server-process.ts'

export interface OidcProvider {
  url: string
  /** Signs in, agrees, and returns the address that the browser is redirected to. */
  signIn(authorizationUrl: string, login: string): Promise<URL>
}

/** Registers the tests, or a skipped test with the reason if no provider is available. */
export async function onOidcProvider(redirectUri: string, tests: (it: OidcProvider) => Promise<void>): Promise<void> {
  const need = needs('oidc-provider')
  if (need.skip !== undefined) test('OpenID provider', need, () => {})
  else await tests(await startProvider(redirectUri))
}

async function startProvider(redirectUri: string): Promise<OidcProvider> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  await startServerProcess({
    command: [
      process.execPath,
      join(import.meta.dirname, 'oidc-provider.mjs'),
      String(port),
      redirectUri,
      OIDC_PROVIDER,
    ],
    cwd: ownFolder('oidc'),
    probe: () => answers(`${url}/.well-known/openid-configuration`),
  })
  return { url, signIn: (authorizationUrl, login) => signInAtProvider({ url, redirectUri }, authorizationUrl, login) }
}

const MAX_STEPS = 20

/** Goes through the pages of the provider. */
export async function signInAtProvider(
  { url, redirectUri, browser = openBrowser() }: { url: string; redirectUri: string; browser?: Browser },
  authorizationUrl: string,
  login: string,
): Promise<URL> {
  let page = await browser(authorizationUrl)
  for (let left = MAX_STEPS; left > 0; left -= 1) {
    const location = page.headers.get('location')
    if (location?.startsWith(redirectUri)) return new URL(location)
    if (location !== null) page = await browser(new URL(location, url).href)
    else page = await submit(browser, await page.text(), { url, login })
  }
  assert.fail(`the provider never redirected back; its last page returned ${page.status}`)
}

export type Browser = (address: string, form?: URLSearchParams) => Promise<Response>

function submit(browser: Browser, html: string, { url, login }: { url: string; login: string }): Promise<Response> {
  const action = /action="([^"]+)"/.exec(html)?.[1]
  const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1]
  assert.ok(action !== undefined && prompt !== undefined, `the provider shows ${html.slice(0, 500)}`)
  return browser(new URL(action, url).href, new URLSearchParams({ prompt, login, password: 'any' }))
}

/** Keeps cookies and follows no redirects. */
export function openBrowser(): Browser {
  const cookies = new Map<string, string>()
  return async (address, form) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const page = await fetch(address, {
      redirect: 'manual',
      headers: { cookie },
      signal: AbortSignal.timeout(60_000),
      ...(form !== undefined && { method: 'POST', body: form }),
    })
    for (const it of page.headers.getSetCookie()) {
      const [pair = ''] = it.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    return page
  }
}
