// The passkeys of this browser and device: https://www.w3.org/TR/webauthn-3/
import type {
  PasskeyAssertion,
  PasskeyCreation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '../../../../src/client/schemas.ts'

/** Old browsers have no passkeys, or do not read their options from JSON. */
export const hasPasskeys = (): boolean =>
  'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential

export async function createPasskey(options: PasskeyCreationOptions): Promise<PasskeyCreation> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  return credentialOf(await navigator.credentials.create({ publicKey })).toJSON() as PasskeyCreation
}

export async function signWithPasskey(options: PasskeyRequestOptions): Promise<PasskeyAssertion> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  return credentialOf(await navigator.credentials.get({ publicKey })).toJSON() as PasskeyAssertion
}

function credentialOf(credential: Credential | null): PublicKeyCredential {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser gave no passkey.')
  return credential
}

/** Whether the person closed the dialog of the browser, or let it run out. */
export const isCancelled = (error: unknown): boolean =>
  error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError')

/** Whether the device has this passkey already. */
export const isKnownPasskey = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'InvalidStateError'
