// Verifies a response and reads the assertion that was signed. Runs in a thread with limits.
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml'
import { checkRoot, checkShape } from './check-shape.ts'
import { type Assertion, readAssertion } from './read-assertion.ts'
import { ASSERTION, attributeOf, childrenNamed, PROTOCOL, parseXml, textOf, type XmlElement, XmlFault } from './xml.ts'

export interface ResponseRequest {
  /** Without comments, declarations of types and processing instructions. */
  xml: string
  certificates: readonly string[]
  entityId: string
  acsUrl: string
  clockSkewMs: number
}

/** The fields of the response are signed only if it has a signature of its own. */
export interface VerifiedResponse {
  kind: 'verified'
  isResponseSigned: boolean
  destination: string | null
  inResponseTo: string | null
  issuer: string | null
  assertion: Assertion
}

export type ReadResponse = VerifiedResponse | { kind: 'status'; status: string } | { kind: 'invalid'; fault: string }

export async function readResponse(request: ResponseRequest): Promise<ReadResponse> {
  try {
    return await verify(request)
  } catch (error) {
    if (error instanceof XmlFault) return { kind: 'invalid', fault: error.message }
    // The package throws plain errors, and so does the engine if a text is nested too deeply for it.
    return { kind: 'invalid', fault: `The response cannot be verified: ${String(error)}` }
  }
}

async function verify({ xml, ...request }: ResponseRequest): Promise<ReadResponse> {
  const response = parseXml(xml)
  checkRoot(response)
  const status = failedStatus(response)
  if (status !== null) return { kind: 'status', status }
  const { isResponseSigned } = checkShape(response)
  const { profile } = await verifierOf(request, isResponseSigned).validatePostResponseAsync({
    SAMLResponse: Buffer.from(xml).toString('base64'),
  })
  const signedXml = profile?.getAssertionXml?.()
  if (signedXml === undefined) throw new XmlFault('The response contains no signed assertion.')
  const [issuer] = childrenNamed(response, ASSERTION, 'Issuer')
  return {
    ...{ kind: 'verified', isResponseSigned },
    destination: attributeOf(response, 'Destination'),
    inResponseTo: attributeOf(response, 'InResponseTo'),
    issuer: issuer === undefined ? null : textOf(issuer),
    assertion: readAssertion(parseXml(signedXml)),
  }
}

/** Keys come from the settings only. Requests are compared by the caller, who knows what was asked for. */
const verifierOf = (
  { certificates, entityId, acsUrl, clockSkewMs }: Omit<ResponseRequest, 'xml'>,
  wantAuthnResponseSigned: boolean,
): SAML =>
  new SAML({
    ...{ idpCert: [...certificates], issuer: entityId, audience: entityId, callbackUrl: acsUrl },
    ...{ wantAssertionsSigned: true, wantAuthnResponseSigned },
    ...{ acceptedClockSkewMs: clockSkewMs, validateInResponseTo: ValidateInResponseTo.never },
  })

const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
const MAX_STATUS = 300

/** Null for success. The text is the provider's, or that of a stranger: an error needs no signature. */
function failedStatus(response: XmlElement): string | null {
  const [status] = childrenNamed(response, PROTOCOL, 'Status')
  const [code] = status === undefined ? [] : childrenNamed(status, PROTOCOL, 'StatusCode')
  const value = code === undefined ? '' : (attributeOf(code, 'Value') ?? '')
  if (value === SUCCESS) return null
  const [inner] = code === undefined ? [] : childrenNamed(code, PROTOCOL, 'StatusCode')
  const [message] = status === undefined ? [] : childrenNamed(status, PROTOCOL, 'StatusMessage')
  const parts = [value, inner && attributeOf(inner, 'Value'), message && textOf(message)]
  return parts
    .filter((it) => it != null && it !== '')
    .join(': ')
    .slice(0, MAX_STATUS)
}
