// Whether a response has the shape that identity providers send. Everything else is where forged assertions hide.
import {
  ASSERTION,
  attributeOf,
  childElements,
  childrenNamed,
  descendants,
  isNamed,
  PROTOCOL,
  SIGNATURE,
  type XmlElement,
  XmlFault,
} from './xml.ts'

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
/** https://docs.oasis-open.org/security/saml/v2.0/saml-core-2.0-os.pdf, 5.4: no other transforms. SHA-1 is broken. */
const ALGORITHMS: Readonly<Record<string, readonly string[]>> = {
  CanonicalizationMethod: [EXCLUSIVE, `${EXCLUSIVE}WithComments`],
  Transform: [EXCLUSIVE, `${EXCLUSIVE}WithComments`, `${SIGNATURE}enveloped-signature`],
  SignatureMethod: [
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
    'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
  ],
  DigestMethod: ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512'],
}

/**
 * The one assertion is a child of the response and has a signature of its own; ids are unique; there is no signature but
 * those of the assertion and the response. Returns whether the response is signed as well. XmlFault.
 */
export function checkShape(response: XmlElement): { isResponseSigned: boolean } {
  const ids = new Set<string>()
  const assertions: XmlElement[] = []
  const signatures: XmlElement[] = []
  for (const element of limitedElements(response)) {
    for (const id of idsOf(element)) {
      if (ids.has(id)) throw new XmlFault('The response contains an id twice.')
      ids.add(id)
    }
    checkAlgorithm(element)
    if (element.localName.startsWith('Encrypted'))
      throw new XmlFault('The response is encrypted. Switch the encryption of assertions off at the provider.')
    if (element.localName === 'Assertion') assertions.push(element)
    if (element.localName === 'Signature') signatures.push(element)
    if (element !== response && element.localName === 'Response') throw new XmlFault('A response contains another one.')
  }
  const [assertion, second] = assertions
  if (assertion === undefined) throw new XmlFault('The response contains no assertion.')
  if (second !== undefined) throw new XmlFault('The response contains more than one assertion.')
  if (!isNamed(assertion, ASSERTION, 'Assertion') || assertion.parentNode !== response)
    throw new XmlFault('The assertion is not where it belongs.')
  checkSignatures(signatures, response, assertion)
  return { isResponseSigned: signatures.some((it) => it.parentNode === response) }
}

/** The package takes time that grows with the square of these. 1,000 groups in one response: 1,050 elements. */
const MAX_ELEMENTS = 2_000
const MAX_ATTRIBUTES = 30

function* limitedElements(response: XmlElement): Generator<XmlElement> {
  let count = 0
  for (const element of descendants(response)) {
    if (++count > MAX_ELEMENTS) throw new XmlFault(`The response has more than ${MAX_ELEMENTS} elements.`)
    if (element.attributes.length > MAX_ATTRIBUTES)
      throw new XmlFault(`An element of the response has more than ${MAX_ATTRIBUTES} attributes.`)
    yield element
  }
}

/** An id may have any prefix and any case: libraries differ in what they take for an id. */
const idsOf = (element: XmlElement): string[] =>
  Array.from(element.attributes)
    .filter((it) => ['id', 'assertionid'].includes(it.localName.toLowerCase()))
    .map((it) => it.value)

function checkAlgorithm(element: XmlElement): void {
  const known = ALGORITHMS[element.localName]
  if (element.namespaceURI !== SIGNATURE || known === undefined) return
  const algorithm = attributeOf(element, 'Algorithm') ?? ''
  if (!known.includes(algorithm))
    throw new XmlFault(`The signature uses ${algorithm.slice(0, 200)}, which is not accepted.`)
}

const SIGNATURE_PARTS = ['SignedInfo', 'SignatureValue', 'KeyInfo']

function checkSignatures(signatures: readonly XmlElement[], response: XmlElement, assertion: XmlElement): void {
  if (!signatures.some((it) => it.parentNode === assertion))
    throw new XmlFault('The assertion is not signed. Let the provider sign assertions, not only responses.')
  const owners = new Set(signatures.map((it) => it.parentNode))
  if (owners.size !== signatures.length) throw new XmlFault('An element has more than one signature.')
  for (const signature of signatures) {
    const owner = signature.parentNode
    if (owner !== response && owner !== assertion) throw new XmlFault('A signature is not where it belongs.')
    if (!isNamed(signature, SIGNATURE, 'Signature')) throw new XmlFault('A signature is not in its namespace.')
    checkReference(signature, attributeOf(owner, 'ID') ?? '')
  }
}

function checkReference(signature: XmlElement, id: string): void {
  const parts = childElements(signature).map((it) => it.localName)
  if (new Set(parts).size !== parts.length || parts.some((it) => !SIGNATURE_PARTS.includes(it)))
    throw new XmlFault('A signature has parts that do not belong there.')
  const references = [...descendants(signature)].filter((it) => it.localName === 'Reference')
  const [signedInfo] = childrenNamed(signature, SIGNATURE, 'SignedInfo')
  const [reference, other] = references
  if (signedInfo === undefined || reference?.parentNode !== signedInfo || other !== undefined)
    throw new XmlFault('A signature has not exactly one reference.')
  if (id === '' || attributeOf(reference, 'URI') !== `#${id}`)
    throw new XmlFault('A signature is not that of the element in which it is.')
}

/** The root of a response. XmlFault. */
export function checkRoot(root: XmlElement): void {
  if (!isNamed(root, PROTOCOL, 'Response') || attributeOf(root, 'Version') !== '2.0')
    throw new XmlFault('The text is no response of SAML 2.0.')
}
